'use client';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Merge, UserRoundX } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { PatientView } from '#contract/patients.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RecordError } from '#web/ui/record-error.tsx';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { RecordNotice } from '../care/record-notice.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { patientOption, usePatientOptions } from '../patients/use-patient-search.ts';
import { useQueryParam } from '../use-query-param.ts';
import { Comparison, Obstacles } from './comparison.tsx';
import { RecordCard } from './record-card.tsx';
import { useMerge } from './use-merge.ts';

const ConfirmMerge = lazyComponent(() => import('./confirm-merge.tsx').then((module) => module.ConfirmMerge));

const NOT_FOUND_CODES = ['not_found', 'invalid_parameter'];

/** Merges the record that the address names by `with` into the patient's; for admins. */
export function MergePage({ id }: { id: string }) {
  const trpc = useTRPC();
  const [otherId, setOtherId] = useQueryParam('with');
  const isComparable = otherId !== '' && otherId !== id;
  const merging = useMerge({ id, otherId, isComparable });
  const { preview, error, confirming } = merging;
  const own = useQuery({ ...trpc.patients.get.queryOptions({ id }), enabled: !isComparable || error !== null });
  const patient = preview?.patient ?? own.data;
  const isCompared = isComparable && !error;
  const isMerged = Boolean(preview?.other.merged_into);
  if (own.error && !preview)
    return (
      <RecordError
        error={own.error}
        what="patient"
        icon={UserRoundX}
        back={{ href: '/patients', label: 'Patients' }}
        hint="Look for the patient by name, email or phone number."
        onRetry={() => void own.refetch()}
      />
    );
  const header = (
    <PageHeader
      title="Merge two records"
      description="For a patient who is on record twice."
      back={{ href: `/patients/${id}`, label: 'Patient' }}
    />
  );
  if (patient?.merged_into)
    return (
      <>
        {header}
        <RecordNotice patient={patient} />
      </>
    );
  const choose = (next: string) => {
    merging.cancel();
    setOtherId(next);
  };
  return (
    <>
      {header}
      <div className="grid grid-cols-1 gap-5">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <OtherRecordField id={id} other={preview?.other} onChoose={choose} />
          {isCompared && !isMerged && (
            <Button asChild className="max-sm:w-full">
              <Link href={`/patients/${otherId}/merge?with=${id}`}>
                <ArrowLeftRight aria-hidden />
                Keep the other one instead
              </Link>
            </Button>
          )}
        </div>
        <div className="grid grid-cols-1 gap-5 md:grid-cols-2">
          <RecordCard
            title="Kept record"
            description="Stays, and gets everything from the other one."
            patient={patient}
          />
          <RecordCard
            title="Other record"
            description="Is archived, and points to the kept one."
            patient={isCompared ? preview?.other : null}
            empty={<NoOther isSame={otherId === id} error={error} onRetry={merging.retry} />}
          />
        </div>
        {isMerged && preview ? <AlreadyMerged record={preview.other} /> : isCompared && <Compared merging={merging} />}
      </div>
      {confirming && (
        <ConfirmMerge
          confirming={confirming}
          isMerging={merging.isMerging}
          error={merging.mergeError}
          onConfirm={merging.merge}
          onClose={merging.cancel}
        />
      )}
    </>
  );
}

type OtherRecordFieldProps = { id: string; other: PatientView | undefined; onChoose: (id: string) => void };

function OtherRecordField({ id, other, onChoose }: OtherRecordFieldProps) {
  const find = usePatientOptions();
  const search = useCallback(
    async (text: string, signal: AbortSignal) => (await find(text, signal)).filter(({ value }) => value !== id),
    [find, id],
  );
  // Shown until the record itself has loaded.
  const [chosen, setChosen] = useState<ComboboxOption | null>(null);
  return (
    <Field label="Choose the other record" className="min-w-0 flex-1 basis-64 sm:max-w-md">
      <Combobox
        value={other ? patientOption(other) : chosen}
        onChange={(option) => {
          setChosen(option);
          onChoose(option?.value ?? '');
        }}
        search={search}
        placeholder="Search by name, date of birth or phone"
      />
    </Field>
  );
}

type NoOtherProps = { isSame: boolean; error: unknown; onRetry: () => void };

/** Shown in place of the other record: it is not chosen yet, or could not be loaded. */
function NoOther({ isSame, error, onRetry }: NoOtherProps) {
  if (error && !NOT_FOUND_CODES.includes(readApiErrors(error)[0].code))
    return <ErrorState error={error} title="The records cannot be compared" onRetry={onRetry} />;
  if (error)
    return (
      <EmptyState
        icon={UserRoundX}
        title="There is no such record"
        description="The address may be incomplete. Choose the other record again."
      />
    );
  return (
    <EmptyState
      icon={Merge}
      title={isSame ? 'This is the same record' : 'No record chosen yet'}
      description="Choose the other record of the patient. Then compare the two, and choose which details stay."
    />
  );
}

function AlreadyMerged({ record }: { record: PatientView }) {
  return (
    <Card>
      <EmptyState
        icon={Merge}
        title="This record was merged already"
        description={`The record of ${nameOfPatient(record)} was merged into another one, which has all of it.`}
        action={
          <Button asChild>
            <Link href={`/patients/${record.merged_into}`}>Open that record</Link>
          </Button>
        }
      />
    </Card>
  );
}

/** What shows below the two records: the comparison, or why they cannot be merged. */
function Compared({ merging }: { merging: ReturnType<typeof useMerge> }) {
  const { preview, conflict, isChanged } = merging;
  if (!preview)
    return (
      <Card className="overflow-hidden">
        <DataTableSkeleton columns={3} />
      </Card>
    );
  return (
    <>
      <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink empty:hidden">
        {isChanged && 'One of the two records was changed since you opened this page. Check your choices.'}
      </p>
      {preview.obstacles.length > 0 ? (
        <Obstacles preview={preview} conflict={conflict} />
      ) : (
        <Comparison preview={preview} conflict={conflict} onMerge={(take) => merging.ask({ preview, take })} />
      )}
    </>
  );
}
