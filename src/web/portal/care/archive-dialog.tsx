'use client';
import { type ReactNode, useState } from 'react';
import type { CareView } from '#contract/care.ts';
import type { PatientView } from '#contract/patients.ts';
import { AlertCancel, AlertFrame } from '#web/ui/alert-frame.tsx';
import { firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useMay } from '../me.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { type Counts, cancelFirstMessage, endCareLabel, endedMessage, isEmpty, planLabel } from './care-labels.ts';
import { CareProgress } from './care-progress.tsx';
import { useArchive, useCare } from './use-care.ts';

const END_CARE_MESSAGE = 'All of this ends first, and stays ended even if they come back. Their record stays readable.';
const ARCHIVE_MESSAGE =
  'They are signed out everywhere and cannot book appointments or start subscriptions. Their record stays readable.';
const RUNNING_MESSAGE = 'You can close this: it continues by itself, and the patient’s page shows how far it is.';

/** Archives a patient: shows what ends first, then the progress, then the completion. */
export function ArchiveDialog({ patient, onClose }: { patient: PatientView; onClose: () => void }) {
  const { care, counts, error, refetch } = useCare(patient.id);
  const archive = useArchive(patient.id);
  const [consentedLabel, setConsentedLabel] = useState<string | null>(null);
  const [started, setStarted] = useState<Counts | null>(null);
  const mayCancel = useMay('subscriptions:cancel');
  const name = nameOfPatient(patient);
  const live = counts && !isEmpty(counts) ? counts : null;
  // Consent covers only the counts that were shown.
  const hasConsented = live !== null && consentedLabel === endCareLabel(live);

  if (started && care?.ending)
    return (
      <AlertFrame
        title={`Archiving ${name}`}
        description={RUNNING_MESSAGE}
        onClose={onClose}
        actions={
          <>
            <AlertCancel asChild>
              <Button>Close</Button>
            </AlertCancel>
            {care.ending.problems.length > 0 && (
              <Button
                variant="primary"
                pending={archive.isPending}
                onClick={() => archive.mutate(true, { onError: (error) => toast.error(firstErrorMessage(error)) })}
              >
                Try again
              </Button>
            )}
          </>
        }
      >
        <div className="mt-4">
          <CareProgress care={care} />
        </div>
      </AlertFrame>
    );
  if (started)
    return (
      <AlertFrame
        title={`${name} is archived`}
        description={`${endedMessage(started)} Their record stays readable.`}
        onClose={onClose}
        actions={
          <AlertCancel asChild>
            <Button variant="primary">Done</Button>
          </AlertCancel>
        }
      />
    );

  const cancelFirst = live && !mayCancel ? cancelFirstMessage(live) : null;
  if (cancelFirst && care)
    return (
      <AlertFrame
        title={`${name} cannot be archived yet`}
        description={cancelFirst}
        onClose={onClose}
        actions={
          <AlertCancel asChild>
            <Button>Close</Button>
          </AlertCancel>
        }
      >
        <WhatEnds care={{ ...care, visits: { count: 0, items: [] } }} />
      </AlertFrame>
    );

  const confirm = () =>
    archive.mutate(live !== null, {
      onSuccess: ({ care_ending }) => {
        if (care_ending) return setStarted(live);
        toast.success('Patient archived');
        onClose();
      },
      // Something was booked or started in between: reloads the counts, which requests consent again.
      onError: () => void refetch(),
    });
  return (
    <AlertFrame
      title={`Archive ${name}?`}
      description={live ? END_CARE_MESSAGE : ARCHIVE_MESSAGE}
      onClose={onClose}
      actions={
        <>
          <AlertCancel asChild>
            <Button>Keep active</Button>
          </AlertCancel>
          <Button
            variant="danger"
            disabled={!counts || (live !== null && !hasConsented)}
            pending={archive.isPending}
            onClick={confirm}
          >
            {live ? 'End care and archive' : 'Archive patient'}
          </Button>
        </>
      }
    >
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : !care && <Loading />}
      {live && care && (
        <Choice
          patient={patient}
          care={care}
          live={live}
          hasConsented={hasConsented}
          onConsent={(isChecked) => setConsentedLabel(isChecked ? endCareLabel(live) : null)}
        />
      )}
      {archive.error && (
        <div className="mt-3">
          <FormError>{errorMessage(archive.error)}</FormError>
        </div>
      )}
    </AlertFrame>
  );
}

const errorMessage = (error: unknown): string =>
  readApiErrors(error)[0].code === 'conflict'
    ? 'Something was booked or begun since you asked. Look at what would end now.'
    : firstErrorMessage(error);

type ChoiceProps = {
  patient: PatientView;
  care: CareView;
  live: Counts;
  hasConsented: boolean;
  onConsent: (hasConsented: boolean) => void;
};

function Choice({ patient, care, live, hasConsented, onConsent }: ChoiceProps) {
  const hints = [
    live.appointments > 0 && patient.email && 'They get emails about canceled appointments.',
    live.subscriptions > 0 && 'Nothing is refunded here.',
  ];
  return (
    <>
      <WhatEnds care={care} />
      <Checkbox
        className="mt-4"
        label={endCareLabel(live)}
        hint={hints.filter(Boolean).join(' ')}
        checked={hasConsented}
        onCheckedChange={(checked) => onConsent(checked === true)}
      />
    </>
  );
}

function Loading() {
  return (
    <div role="status" className="mt-4 grid gap-2">
      <span className="sr-only">Looking for appointments and subscriptions</span>
      <Skeleton />
      <Skeleton className="h-3.5 w-2/3" />
    </div>
  );
}

/** Lists what archiving a patient ends, by the names that staff know. */
function WhatEnds({ care: { visits: appointments, subscriptions } }: { care: CareView }) {
  return (
    <div className="mt-4 grid gap-4">
      {appointments.count > 0 && (
        <Group title="Appointments to cancel" {...appointments}>
          {appointments.items.map((appointment) => (
            <li key={appointment.id}>
              <span className="font-medium">
                <DateTime value={appointment.from_date} calendarZone={appointment.time_zone} />
              </span>
              <span className="block text-muted">
                {appointment.appointment_type} with {appointment.practitioner_name}
                {appointment.status === 'pending' && ', just being booked'}
              </span>
            </li>
          ))}
        </Group>
      )}
      {subscriptions.count > 0 && (
        <Group title="Subscriptions to end" {...subscriptions}>
          {subscriptions.items.map((subscription) => (
            <li key={subscription.id}>{planLabel(subscription)}</li>
          ))}
        </Group>
      )}
    </div>
  );
}

type GroupProps = { title: string; count: number; items: unknown[]; children: ReactNode };

function Group({ title, count, items, children }: GroupProps) {
  return (
    <div>
      <h3 className="text-[13px] font-semibold">{title}</h3>
      <ul aria-label={title} className="mt-1.5 grid gap-2 rounded-lg border border-line px-3 py-2.5 wrap-anywhere">
        {children}
        {count > items.length && <li className="text-muted">and {count - items.length} more</li>}
      </ul>
    </div>
  );
}
