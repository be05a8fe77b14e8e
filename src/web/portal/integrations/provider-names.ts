import type { IntegrationProvider } from '#contract/integrations.ts';

export const PROVIDERS: Record<IntegrationProvider, { name: string; purpose: string }> = {
  stripe: { name: 'Stripe', purpose: 'Takes payments: plans, subscriptions and cards.' },
  acuity: { name: 'Acuity Scheduling', purpose: 'Knows when your team is free: visit types, calendars and times.' },
};
