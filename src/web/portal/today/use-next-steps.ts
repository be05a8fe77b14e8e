'use client';
import { useQuery } from '@tanstack/react-query';
import type { IntegrationView } from '#contract/integrations.ts';
import { useTRPC } from '../../trpc-client.tsx';

export type StepState = 'done' | 'begun' | 'open';
export type NextSteps = { payments: StepState; times: StepState; patient: StepState };

const STATES: Record<IntegrationView['status'], StepState> = {
  connected: 'done',
  degraded: 'begun',
  disconnected: 'open',
};

/** What a clinic still needs before its first day; null when nothing is missing, or while nobody knows. */
export function useNextSteps(): NextSteps | null {
  const trpc = useTRPC();
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const patients = useQuery(trpc.patients.list.queryOptions({ size: 1 }));
  if (!integrations.data || !patients.data) return null;
  const of = (provider: IntegrationView['provider']) =>
    STATES[integrations.data.find((found) => found.provider === provider)?.status ?? 'disconnected'];
  const patient = patients.data.items.length > 0 ? 'done' : 'open';
  const steps: NextSteps = { payments: of('stripe'), times: of('acuity'), patient };
  return Object.values(steps).every((state) => state === 'done') ? null : steps;
}
