'use client';
import { useState } from 'react';
import { Button } from '#portal/ui/button.tsx';
import { StatusBadge } from '#portal/ui/status-badge.tsx';
import { useReaderZone } from '#portal/ui/use-reader-zone.ts';
import { priceOfSubscription, termsOf } from '../plan-words.ts';
import type { Subscription } from '../steps/api-types.ts';
import { cancelSubscription } from '../steps/cancel-subscription.ts';
import { Trouble } from '../trouble.tsx';
import { useAction } from '../use-action.ts';

type CurrentPlanProps = { subscription: Subscription; onChanged: () => void };

export function CurrentPlan({ subscription, onChanged }: CurrentPlanProps) {
  const zone = useReaderZone();
  const [isAsking, setAsking] = useState(false);
  const { pending, error, run } = useAction();
  const isEnding = subscription.cancel_at_period_end || subscription.cancel_at !== null;
  const cancel = (atPeriodEnd: boolean) =>
    run(async () => {
      await cancelSubscription(subscription.id, atPeriodEnd);
      onChanged();
    });
  return (
    <div className="grid gap-4">
      <section aria-label="Your plan" className="rounded-xl border border-line bg-raised p-4">
        <div className="flex items-start justify-between gap-3">
          <h3 className="text-base font-semibold">{subscription.name ?? 'Subscription'}</h3>
          <StatusBadge kind="subscription" status={subscription.status} />
        </div>
        <p className="mt-1">{priceOfSubscription(subscription)}</p>
        <p className="text-muted">{termsOf(subscription, zone)}</p>
      </section>
      <Trouble error={error} />
      {isAsking ? (
        <div className="grid gap-2">
          <p className="text-muted">When should it end?</p>
          {!isEnding && (
            <Button pending={pending} onClick={() => void cancel(true)}>
              At the end of the period
            </Button>
          )}
          <Button variant="danger" pending={pending} onClick={() => void cancel(false)}>
            Now
          </Button>
          <Button variant="ghost" disabled={pending} onClick={() => setAsking(false)}>
            Keep my plan
          </Button>
        </div>
      ) : (
        <Button variant="ghost" onClick={() => setAsking(true)}>
          Cancel plan
        </Button>
      )}
    </div>
  );
}
