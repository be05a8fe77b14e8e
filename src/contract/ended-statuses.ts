import type { SubscriptionView } from './subscriptions.ts';

/** In these nothing can happen to a subscription any more. Apart from the others, which pages do not load. */
export const ENDED_STATUSES: readonly string[] = [
  'canceled',
  'incomplete_expired',
] satisfies SubscriptionView['status'][];
