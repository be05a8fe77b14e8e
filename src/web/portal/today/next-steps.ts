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
  hasAppointments: boolean;
};

/**
 * Steps that a clinic still needs before its first day; null when none is missing. Once there are appointments, a
 * problem with the provider is an error and not a step.
 */
export function getNextSteps({ integrations, hasPatients, hasAppointments }: Clinic): NextSteps | null {
  const stateOf = (provider: IntegrationView['provider']) =>
    STATES[integrations.find((integration) => integration.provider === provider)?.status ?? 'disconnected'];
  const steps: NextSteps = {
    payments: stateOf('stripe'),
    times: stateOf(SCHEDULING_PROVIDER.id),
    patient: hasPatients ? 'done' : 'open',
  };
  const missing = Object.entries(steps).filter(
    ([step, state]) => state !== 'done' && !(step === 'times' && hasAppointments),
  );
  return missing.length === 0 ? null : steps;
}
