import { isDeepStrictEqual } from 'node:util';
import type { EventName } from '#server/core/record.ts';
import type { Facts } from '../records/subscription-columns.ts';

const RUNNING = new Set(['active', 'trialing']);

/** Names of the columns that differ. */
export const changedFacts = (before: Facts, after: Facts): (keyof Facts)[] =>
  (Object.keys(after) as (keyof Facts)[]).filter((key) => !isDeepStrictEqual(before[key], after[key]));

/** The event of a change: the last thing that happened to the status, else that something was updated. */
export function eventOf(before: string, after: string): EventName {
  if (before === after) return 'subscription.updated';
  if (after === 'canceled') return 'subscription.canceled';
  if (after === 'incomplete_expired') return 'subscription.expired';
  return RUNNING.has(after) && !RUNNING.has(before) ? 'subscription.activated' : 'subscription.updated';
}

/** What a processor's event tells beside the state it leaves. */
export const NOTICES: Record<string, EventName> = {
  'customer.subscription.trial_will_end': 'subscription.trial_will_end',
  'invoice.payment_failed': 'subscription.payment_failed',
  'invoice.payment_action_required': 'subscription.payment_action_required',
};
