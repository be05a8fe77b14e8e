'use client';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { endChoices } from './trial-labels.ts';

type CancelSubscriptionProps = { subscription: SubscriptionView; onClose: () => void };

export function CancelSubscription({ subscription, onClose }: CancelSubscriptionProps) {
  const client = useTRPCClient();
  const refresh = useInvalidate('subscriptions');
  // Before the first payment there is no period that could run out.
  const unpaid = subscription.status === 'incomplete';
  const choices = endChoices(subscription);
  const [when, setWhen] = useState(unpaid ? 'now' : 'period_end');
  return (
    <ConfirmDialog
      title={`Cancel ${subscription.name ?? 'the subscription'}?`}
      description={unpaid ? 'It was never paid, so it ends at once.' : 'Choose when it ends. Nothing is refunded here.'}
      confirmLabel="Cancel subscription"
      keepLabel="Keep subscription"
      act={() =>
        client.subscriptions.cancel.mutate({
          id: subscription.id,
          ...(when === 'period_end' && { cancel_at_period_end: true }),
        })
      }
      done={when === 'now' ? 'Subscription canceled' : 'Subscription ends with its period'}
      refresh={refresh}
      onClose={onClose}
    >
      {!unpaid && (
        <RadioGroup.Root value={when} onValueChange={setWhen} aria-label="When it ends" className="grid gap-2">
          <ChoiceCard value="period_end" {...choices.period_end} />
          <ChoiceCard value="now" {...choices.now} />
        </RadioGroup.Root>
      )}
    </ConfirmDialog>
  );
}

/** Reverts a planned end. */
export function UndoCancellation({ subscription, onClose }: { subscription: SubscriptionView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('subscriptions');
  return (
    <ConfirmDialog
      title={`Keep ${subscription.name ?? 'the subscription'} running?`}
      description="It does not end as planned, but renews by itself. The card on file is charged with the next bill."
      confirmLabel="Keep it running"
      confirmVariant="primary"
      keepLabel="Let it end"
      act={() => client.subscriptions.update.mutate({ id: subscription.id, cancel_at_period_end: false })}
      done="It goes on"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
