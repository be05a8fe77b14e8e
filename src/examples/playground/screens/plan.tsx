'use client';
import { CreditCard } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useCallback, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ErrorMessage } from '../error-message.tsx';
import { Loading } from '../loading.tsx';
import { priceOf, priceOfSubscription, termsOf } from '../plan-labels.ts';
import type { Go } from '../screen.ts';
import type { Plan as PlanData, Subscription } from '../steps/api-types.ts';
import { linkToManage } from '../steps/link-to-manage.ts';
import { loadPlans } from '../steps/load-plans.ts';
import { findSubscription } from '../steps/load-subscription.ts';
import { subscribe } from '../steps/subscribe.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

export function Plan({ patientId, go }: { patientId: string; go: Go }) {
  const load = useCallback(() => Promise.all([loadPlans(), findSubscription(patientId)]), [patientId]);
  const { data, error, reload } = useLoaded(load);
  if (!data) return <Loading error={error} what="plans" onRetry={reload} />;
  const [plans, current] = data;
  return current ? (
    <CurrentPlan subscription={current} go={go} />
  ) : (
    <ChoosePlan plans={plans} patientId={patientId} go={go} />
  );
}

function CurrentPlan({ subscription, go }: { subscription: Subscription; go: Go }) {
  const { id, name, status, next_action } = subscription;
  const zone = useReaderZone();
  const { pending, error, run } = useAction();
  const manage = async () => {
    const { url } = await linkToManage(id);
    // When the browser blocks the new tab, opens the page in this one.
    if (!window.open(url, '_blank')) window.location.assign(url);
  };
  return (
    <div className="grid gap-4">
      <section aria-label="Your plan" className="rounded-xl border border-line bg-raised p-4">
        <div className="flex items-start justify-between gap-3">
          <h3 className="text-base font-semibold">{name ?? 'Subscription'}</h3>
          <StatusBadge kind="subscription" status={status} />
        </div>
        <p className="mt-1">{priceOfSubscription(subscription)}</p>
        <p className="text-muted">{termsOf(subscription, zone)}</p>
      </section>
      {next_action !== 'none' && (
        <Button variant="primary" size="lg" onClick={() => go({ at: 'pay', id })}>
          {next_action === 'setup' ? 'Add a card' : 'Pay now'}
        </Button>
      )}
      <ErrorMessage error={error} />
      <Button size="lg" pending={pending} onClick={() => void run(manage)}>
        Bills, card and plan
      </Button>
      <Button variant="ghost" onClick={() => go({ at: 'cancel-plan', id })}>
        Cancel plan
      </Button>
    </div>
  );
}

type ChoosePlanProps = { plans: PlanData[]; patientId: string; go: Go };

export function ChoosePlan({ plans, patientId, go }: ChoosePlanProps) {
  const [priceId, setPriceId] = useState('');
  const { pending, error, run } = useAction();
  const start = async () => {
    const { id } = await subscribe(patientId, priceId);
    go({ at: 'pay', id });
  };
  if (plans.length === 0)
    return <EmptyState icon={CreditCard} title="No plans yet" description="The clinic creates them at Stripe." />;
  return (
    <div className="grid gap-4">
      <RadioGroup.Root aria-label="Plans" value={priceId} onValueChange={setPriceId} className="grid gap-2">
        {plans.map((plan) => (
          <ChoiceCard
            key={plan.id}
            value={plan.id}
            title={plan.name}
            hint={
              <>
                {plan.description}
                <span className="mt-1 block font-medium text-ink">
                  {priceOf(plan)}
                  {plan.trial_period_in_days && `, the first ${plan.trial_period_in_days} days free`}
                </span>
              </>
            }
          />
        ))}
      </RadioGroup.Root>
      <ErrorMessage error={error} />
      <Button variant="primary" size="lg" disabled={!priceId} pending={pending} onClick={() => void run(start)}>
        Continue to payment
      </Button>
    </div>
  );
}
