'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { AlertDialog } from '#portal/ui/alert-dialog.tsx';
import { faultSentence } from '#portal/ui/api-faults.ts';
import { ChoiceCard } from '#portal/ui/choice-card.tsx';
import { toast } from '#portal/ui/toast.ts';
import { useTRPC } from '../trpc-client.tsx';

type CancelSubscriptionProps = { subscription: SubscriptionView; onClose: () => void };

export function CancelSubscription({ subscription, onClose }: CancelSubscriptionProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  // Before the first payment there is no period to run out.
  const unpaid = subscription.status === 'incomplete';
  const [when, setWhen] = useState(unpaid ? 'now' : 'period_end');
  const cancel = useMutation(
    trpc.subscriptions.cancel.mutationOptions({
      onSuccess: () => {
        toast.success(when === 'now' ? 'Subscription canceled' : 'Subscription ends with its period');
        onClose();
        return queries.invalidateQueries(trpc.subscriptions.pathFilter());
      },
    }),
  );
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Cancel ${subscription.name ?? 'the subscription'}?`}
      description={unpaid ? 'It was never paid, so it ends at once.' : 'Choose when it ends. Nothing is refunded here.'}
      confirmLabel="Cancel subscription"
      keepLabel="Keep subscription"
      danger
      pending={cancel.isPending}
      error={cancel.error ? faultSentence(cancel.error) : undefined}
      onConfirm={() =>
        cancel.mutate({ id: subscription.id, ...(when === 'period_end' && { cancel_at_period_end: true }) })
      }
    >
      {!unpaid && (
        <RadioGroup.Root value={when} onValueChange={setWhen} aria-label="When it ends" className="grid gap-2">
          <ChoiceCard
            value="period_end"
            title="At the end of the paid period"
            hint="The patient keeps what they paid for."
          />
          <ChoiceCard value="now" title="Now" hint="Access ends at once." />
        </RadioGroup.Root>
      )}
    </AlertDialog>
  );
}
