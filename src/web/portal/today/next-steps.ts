import type { IntegrationView } from '#contract/integrations.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';

export type StepState = 'done' | 'begun' | 'open';
/** `plan`, `logo` and `colleagues` are missing for staff who may not set up the clinic. */
export type NextSteps = { payments: StepState; times: StepState; patient: StepState } & Partial<
  Record<'plan' | 'logo' | 'colleagues', StepState>
>;

const STATES: Record<IntegrationView['status'], StepState> = {
  connected: 'done',
  degraded: 'begun',
  disconnected: 'open',
};

export type Clinic = {
  integrations: Pick<IntegrationView, 'provider' | 'status'>[];
  hasPatients: boolean;
  hasAppointments: boolean;
  /** Null for staff who may not set up the clinic. */
  setup: { hasPlans: boolean; hasLogo: boolean; hasColleagues: boolean } | null;
};

/** Steps that do not keep a clinic from its work: they end with its first appointment. */
const FOR_THE_FIRST_DAY: (keyof NextSteps)[] = ['times', 'plan', 'logo', 'colleagues'];

/**
 * Steps that a clinic still needs before its first day; null when none is missing. Once there are appointments, a
 * problem with the provider is an error and not a step.
 */
export function getNextSteps({ integrations, hasPatients, hasAppointments, setup }: Clinic): NextSteps | null {
  const stateOf = (provider: IntegrationView['provider']) =>
    STATES[integrations.find((integration) => integration.provider === provider)?.status ?? 'disconnected'];
  const done = (isDone: boolean): StepState => (isDone ? 'done' : 'open');
  const steps: NextSteps = {
    payments: stateOf('stripe'),
    times: stateOf(SCHEDULING_PROVIDER.id),
    patient: done(hasPatients),
    ...(setup && { plan: done(setup.hasPlans), logo: done(setup.hasLogo), colleagues: done(setup.hasColleagues) }),
  };
  const isMissing = (step: keyof NextSteps) =>
    steps[step] !== 'done' && !(hasAppointments && FOR_THE_FIRST_DAY.includes(step));
  return (Object.keys(steps) as (keyof NextSteps)[]).some(isMissing) ? steps : null;
}
