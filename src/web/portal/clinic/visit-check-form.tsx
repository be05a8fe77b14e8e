'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { VisitCheckView } from '#contract/visits.ts';
import { Button } from '#web/ui/button.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

const ASKED: { value: VisitCheckView['check']; label: string }[] = [
  { value: 'none', label: 'Nothing more' },
  { value: 'date_of_birth', label: 'Their date of birth' },
  { value: 'sign_in', label: 'To be signed in to your app' },
];
const WHAT_IT_MEANS: Partial<Record<VisitCheckView['check'], string>> = {
  date_of_birth:
    'Patients whose date of birth is not on record cannot enter their visit. The visit’s page says so: add the date to the patient’s details before the visit begins.',
  sign_in:
    'The links in your messages only tell patients when the visit is. They enter it from your app, which opens it for the patient who is signed in: ask its developers whether it does so already.',
};
const toValues = ({ check }: VisitCheckView) => ({ check });

/** Form for what a patient must know in addition to the video link. */
export function VisitCheckForm({ saved }: { saved: VisitCheckView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: async () => (await import('./clinic-values.ts')).VisitCheckValues,
    defaultValues: toValues(saved),
    save: async ({ check }) => {
      const now = await client.visits.setCheck.mutate({ check });
      form.reset(toValues(now));
      toast.success('Video visits saved');
      queries.setQueryData(trpc.visits.getCheck.queryKey({}), now);
      // Appointment pages warn about patients who cannot enter.
      await queries.invalidateQueries(trpc.appointments.show.pathFilter());
    },
  });
  const means = WHAT_IT_MEANS[form.watch('check')];
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <FormField
        name="check"
        label="What patients are asked for beside the link"
        hint="A link can be passed on or read by others: then it is not enough."
      >
        {({ value, onChange }) => <PlainSelect value={value as string} onValueChange={onChange} options={ASKED} />}
      </FormField>
      {means && <p className="rounded-md bg-warn-soft px-3 py-2 text-[13px] text-warn-ink">{means}</p>}
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save video visits
        </Button>
      </div>
    </Form>
  );
}
