import type { SubscriptionView } from './subscriptions.ts';

/** Final statuses of a subscription. In a module of its own so that pages do not load the schemas. */
export const ENDED_STATUSES: readonly string[] = [
  'canceled',
  'incomplete_expired',
] satisfies SubscriptionView['status'][];
