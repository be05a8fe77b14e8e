'use client';
import { useCallback } from 'react';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { loadPlans } from '../steps/load-plans.ts';
import { findSubscription } from '../steps/load-subscription.ts';
import { useLoaded } from '../use-loaded.ts';
import { ChoosePlan } from './choose-plan.tsx';
import { CurrentPlan } from './current-plan.tsx';

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
