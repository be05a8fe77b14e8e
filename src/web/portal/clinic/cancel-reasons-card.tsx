'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { CancelReasonsView } from '#contract/cancel-reasons.ts';
import { MAX_CANCEL_REASON_LENGTH, MAX_CANCEL_REASONS } from '#contract/limits.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Textarea } from '#web/ui/input.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

const toValues = ({ reasons }: CancelReasonsView) => ({ reasons: reasons.join('\n') });

function CancelReasonsForm({ saved }: { saved: CancelReasonsView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: async () => (await import('./clinic-values.ts')).CancelReasonsValues,
    defaultValues: toValues(saved),
    save: async ({ reasons }) => {
      const updated = await client.clinic.setCancelReasons.mutate({ reasons });
      form.reset(toValues(updated));
      toast.success('Reasons saved');
      queries.setQueryData(trpc.clinic.listCancelReasons.queryKey({}), updated);
    },
  });
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <FormField
        name="reasons"
        label="Reasons, one in each line"
        required={false}
        hint={`At most ${MAX_CANCEL_REASONS}, each of up to ${MAX_CANCEL_REASON_LENGTH} characters. Staff can always write another one, or give none.`}
      >
        {(field) => <Textarea {...field} rows={6} className="max-w-xl" />}
      </FormField>
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save reasons
        </Button>
      </div>
    </Form>
  );
}

/** Setting for the reasons that staff choose from when they cancel an appointment. */
export function CancelReasonsCard() {
  const trpc = useTRPC();
  const reasons = useQuery(trpc.clinic.listCancelReasons.queryOptions({}));
  return (
    <Card aria-label="Reasons for canceling">
      <CardHeader
        title="Reasons for canceling"
        description="Staff choose one when they cancel an appointment, and whether the patient may read it."
      />
      {reasons.error ? (
        <ErrorState error={reasons.error} onRetry={() => void reasons.refetch()} />
      ) : (
        <CardBody>{reasons.data ? <CancelReasonsForm saved={reasons.data} /> : <Skeleton className="h-48" />}</CardBody>
      )}
    </Card>
  );
}
