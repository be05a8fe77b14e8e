'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useId, useRef } from 'react';
import type { ClinicView } from '#contract/clinic.ts';
import { LOGO_BYTES, LOGO_TOO_LARGE } from '#contract/limits.ts';
import type { VisitCheckView } from '#contract/visits.ts';
import { createApiError, firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { CancelReasonsCard } from './cancel-reasons-card.tsx';
import { ClinicForm, useSavedClinic } from './clinic-form.tsx';

const CHECK_OPTIONS: { value: VisitCheckView['check']; label: string }[] = [
  { value: 'none', label: 'Nothing more' },
  { value: 'date_of_birth', label: 'Their date of birth' },
  { value: 'sign_in', label: 'A sign-in to your app' },
];
const CHECK_NOTES: Partial<Record<VisitCheckView['check'], string>> = {
  date_of_birth:
    'Patients whose date of birth is not on record cannot enter their visit. The appointment’s page says so: add the date to the patient’s details before the appointment begins.',
  sign_in:
    'The links in your messages only tell patients when the appointment is. They enter the visit from your app, which opens it for the patient who is signed in: ask its developers whether it does so already.',
};
const toCheckValues = ({ check }: VisitCheckView) => ({ check });

/** Form for what a patient must know in addition to the video link. */
function VisitCheckForm({ saved }: { saved: VisitCheckView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: async () => (await import('./clinic-values.ts')).VisitCheckValues,
    defaultValues: toCheckValues(saved),
    save: async ({ check }) => {
      const updated = await client.visits.setCheck.mutate({ check });
      form.reset(toCheckValues(updated));
      toast.success('Video visits saved');
      queries.setQueryData(trpc.visits.getCheck.queryKey({}), updated);
      // Appointment pages warn about patients who cannot enter.
      await queries.invalidateQueries(trpc.appointments.show.pathFilter());
    },
  });
  const checkNote = CHECK_NOTES[form.watch('check')];
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <FormField
        name="check"
        label="What patients are asked for besides the link"
        hint="A link can be passed on or read by others: then it is not enough."
      >
        {({ value, onChange }) => (
          <PlainSelect value={value as string} onValueChange={onChange} options={CHECK_OPTIONS} />
        )}
      </FormField>
      {checkNote && <p className="rounded-md bg-warn-soft px-3 py-2 text-[13px] text-warn-ink">{checkNote}</p>}
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save video visits
        </Button>
      </div>
    </Form>
  );
}

const PREFIX = /^data:[^,]*;base64,/;

const TOO_LARGE = createApiError('invalid_parameter', LOGO_TOO_LARGE);

/** Reads the file as base64. Rejects a file that is too large before it is uploaded. */
function readFile(file: File): Promise<string> {
  if (file.size > LOGO_BYTES) return Promise.reject(TOO_LARGE);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(PREFIX, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** The logo on patients' pages and in emails. */
function LogoCard({ clinic }: { clinic: ClinicView | null }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const saved = useSavedClinic();
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  const upload = useMutation({
    mutationFn: async (file: File) => client.clinic.setLogo.mutate({ png: await readFile(file) }),
    onSuccess: (updated) => {
      toast.success('Logo saved');
      saved(updated);
    },
  });
  const remove = useMutation(
    trpc.clinic.removeLogo.mutationOptions({
      onSuccess: (updated) => {
        toast.success('Logo removed');
        saved(updated);
      },
      onError: (error) => toast.error(firstErrorMessage(error)),
    }),
  );
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    // Lets the user choose the same file again.
    target.value = '';
    if (file) upload.mutate(file);
  };
  const logo = clinic?.logo;
  return (
    <Card aria-label="Logo">
      <CardHeader title="Logo" description="It is shown beside your name on patients’ pages and in emails." />
      <CardBody className="grid gap-3">
        <div className="grid h-20 w-full max-w-72 place-items-center rounded-lg border border-line bg-white p-3">
          {logo ? (
            // biome-ignore lint/performance/noImgElement: it is small already, and Next's optimizer would copy it
            <img
              src={logo.path}
              alt={`Logo of ${clinic.name}`}
              width={logo.width}
              height={logo.height}
              className="h-auto max-h-14 w-auto max-w-full object-contain"
            />
          ) : (
            <span className="text-[13px] text-[#51636a]">{clinic ? 'No logo yet' : ''}</span>
          )}
        </div>
        {upload.error && <FormError>{firstErrorMessage(upload.error)}</FormError>}
        <div className="flex flex-wrap items-center gap-2">
          <input
            ref={input}
            type="file"
            accept="image/png"
            aria-label="Logo file"
            aria-describedby={hint}
            onChange={choose}
            className="sr-only"
            tabIndex={-1}
          />
          <Button pending={upload.isPending} disabled={!clinic} onClick={() => input.current?.click()}>
            {logo ? 'Choose another logo' : 'Choose a logo'}
          </Button>
          {logo && (
            <Button variant="ghost" pending={remove.isPending} onClick={() => remove.mutate({})}>
              Remove logo
            </Button>
          )}
        </div>
        <p id={hint} className="text-[13px] text-muted">
          A PNG picture of at most 256 kB and 2000 pixels each way. On dark pages it stands on white, as here.
        </p>
      </CardBody>
    </Card>
  );
}

/** Settings of what patients see of the clinic on pages, in emails and in text messages. */
export function ClinicPage() {
  const trpc = useTRPC();
  const clinic = useQuery(trpc.clinic.get.queryOptions({}));
  return (
    <>
      <PageHeader
        title="Clinic"
        description="How patients see you on pages, in emails and in texts, and how they enter visits"
      />
      <div className="grid gap-8">
        <LogoCard clinic={clinic.data ?? null} />
        <Card aria-label="About the clinic">
          <CardHeader title="About the clinic" description="Patients read this on every page that you send them to." />
          {clinic.error ? (
            <ErrorState error={clinic.error} onRetry={() => void clinic.refetch()} />
          ) : (
            <CardBody>{clinic.data ? <ClinicForm clinic={clinic.data} /> : <Skeleton className="h-200" />}</CardBody>
          )}
        </Card>
        <VisitCheckCard />
        <CancelReasonsCard />
      </div>
    </>
  );
}

/** Setting for who may enter a video visit. A room on another site has its own checks. */
function VisitCheckCard() {
  const trpc = useTRPC();
  const check = useQuery(trpc.visits.getCheck.queryOptions({}));
  return (
    <Card aria-label="Video visits">
      <CardHeader title="Video visits" description="Patients enter a visit by the link in their confirmation." />
      {check.error ? (
        <ErrorState error={check.error} onRetry={() => void check.refetch()} />
      ) : (
        <CardBody>
          {!check.data ? (
            <Skeleton className="h-24" />
          ) : check.data.is_own_room ? (
            <VisitCheckForm saved={check.data} />
          ) : (
            <p>
              Your visits take place on another page, which asks patients for what it wants. Nothing is set up here.
            </p>
          )}
        </CardBody>
      )}
    </Card>
  );
}
