'use client';
import { useQueryClient } from '@tanstack/react-query';
import { RadioGroup } from 'radix-ui';
import { z } from 'zod';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { localDate } from '#web/ui/format-time.ts';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { endTrialMessage, moveToDay } from './trial-labels.ts';

/** Moves the end of a trial, or ends it now. */
export function TrialDialog({ subscription, onClose }: { subscription: SubscriptionView; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const zone = useReaderZone();
  const end = subscription.trial_end ?? new Date().toISOString();
  const form = useApiForm({
    schema: z.object({ how: z.enum(['move', 'end']), trial_end: z.string().min(1, 'Choose a day.') }),
    defaultValues: { how: 'move', trial_end: localDate(end, zone) },
    save: async ({ how, trial_end }) => {
      const endsAt = how === 'end' ? ('now' as const) : moveToDay(trial_end, end, zone);
      await client.subscriptions.update.mutate({ id: subscription.id, trial_end: endsAt });
      await Promise.all(
        [trpc.subscriptions.pathFilter(), trpc.payments.pathFilter(), trpc.timeline.pathFilter()].map((filter) =>
          queries.invalidateQueries(filter),
        ),
      );
      toast.success(how === 'end' ? 'Trial ended' : 'The trial has another end');
      onClose();
    },
  });
  const how = form.watch('how');
  return (
    <Dialog open onOpenChange={onClose} size="sm" title="Extend or end the trial">
      <DialogForm form={form} submitLabel={how === 'end' ? 'End the trial now' : 'Save the new end'}>
        <FormField name="how" label="What to do" hideLabel>
          {({ value, onChange }) => (
            <RadioGroup.Root value={value} onValueChange={onChange} aria-label="What to do" className="grid gap-2">
              <ChoiceCard value="move" title="Until another day" hint="Nothing is billed before." />
              <ChoiceCard value="end" title="End it now" hint={endTrialMessage(subscription)} />
            </RadioGroup.Root>
          )}
        </FormField>
        {how === 'move' && (
          <FormField name="trial_end" label="The trial ends on" hint="At the same time of the day as now.">
            {(field) => <Input {...field} type="date" />}
          </FormField>
        )}
      </DialogForm>
    </Dialog>
  );
}
