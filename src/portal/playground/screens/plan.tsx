'use client';
import dynamic from 'next/dynamic';
import { useCallback } from 'react';
import { Loading } from '../loading.tsx';
import type { Subscription } from '../steps/api-types.ts';
import { loadPlans } from '../steps/load-plans.ts';
import { loadSubscription } from '../steps/load-subscription.ts';
import { waitUntilSettled } from '../steps/wait-until-settled.ts';
import { useLoaded } from '../use-loaded.ts';
import { ChoosePlan } from './choose-plan.tsx';
import { CurrentPlan } from './current-plan.tsx';

// Stripe's part is wanted by whoever pays, and by nobody else.
const PayByCard = dynamic(() => import('./pay-by-card.tsx').then((module) => module.PayByCard), { ssr: false });

type PlanProps = { patientId: string; stripeScript: string | null };

export function Plan({ patientId, stripeScript }: PlanProps) {
  const load = useCallback(
    () => Promise.all([loadPlans(), loadSubscription(patientId)]).then(([plans, current]) => ({ plans, current })),
    [patientId],
  );
  const { data, error, reload, set } = useLoaded(load);
  if (!data) return <Loading error={error} what="plans" onRetry={reload} />;
  const { plans, current } = data;
  const show = (subscription: Subscription) => set({ plans, current: subscription });
  if (!current) return <ChoosePlan plans={plans} patientId={patientId} onSubscribed={show} />;
  if (current.next_action !== 'none')
    return (
      <PayByCard
        key={current.id}
        subscription={current}
        stripeScript={stripeScript}
        onConfirmed={async () => show(await waitUntilSettled(current.id))}
      />
    );
  return <CurrentPlan subscription={current} onChanged={reload} />;
}
