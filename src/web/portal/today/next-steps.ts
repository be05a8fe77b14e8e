import type { IntegrationView } from '#contract/integrations.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';

export type StepState = 'done' | 'begun' | 'open';
export type NextSteps = { payments: StepState; times: StepState; patient: StepState };

const STATES: Record<IntegrationView['status'], StepState> = {
  connected: 'done',
  degraded: 'begun',
  disconnected: 'open',
};

type Clinic = {
  integrations: Pick<IntegrationView, 'provider' | 'status'>[];
  hasPatients: boolean;
  hasVisits: boolean;
};

/**
 * What a clinic still needs before its first day; null when nothing is missing. With visits, that day has been: what has
 * happened to the provider since is trouble, and no step.
 */
export function nextStepsOf({ integrations, hasPatients, hasVisits }: Clinic): NextSteps | null {
  const of = (provider: IntegrationView['provider']) =>
    STATES[integrations.find((found) => found.provider === provider)?.status ?? 'disconnected'];
  const steps: NextSteps = {
    payments: of('stripe'),
    times: of(SCHEDULING_PROVIDER.id),
    patient: hasPatients ? 'done' : 'open',
  };
  const missing = Object.entries(steps).filter(([step, state]) => state !== 'done' && !(step === 'times' && hasVisits));
  return missing.length === 0 ? null : steps;
}
