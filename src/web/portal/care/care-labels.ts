import type { LiveSubscriptionView } from '#contract/care.ts';
import { formatMoney } from '#web/ui/format-money.ts';
import { describeInterval } from '../plans/plan-terms.ts';

/** Numbers of appointments and subscriptions. */
export type Counts = { visits: number; subscriptions: number };

const some = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const join = (visits: string | false, subscriptions: string | false): string =>
  [visits, subscriptions].filter(Boolean).join(' and ');

export const isEmpty = ({ visits, subscriptions }: Counts): boolean => visits + subscriptions === 0;

/** "2 visits and 1 subscription". */
export const countLabel = ({ visits, subscriptions }: Counts): string =>
  join(visits > 0 && some(visits, 'visit'), subscriptions > 0 && some(subscriptions, 'subscription'));

/** Consent text for staff: "Cancel 2 visits and end 1 subscription now". */
export function endCareLabel({ visits, subscriptions }: Counts): string {
  const words = join(
    visits > 0 && `cancel ${some(visits, 'visit')}`,
    subscriptions > 0 && `end ${some(subscriptions, 'subscription')}`,
  );
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} now`;
}

/** Result text: "2 visits were canceled and 1 subscription was ended." */
export function endedMessage({ visits, subscriptions }: Counts): string {
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  const words = join(
    visits > 0 && `${some(visits, 'visit')} ${were(visits)} canceled`,
    subscriptions > 0 && `${some(subscriptions, 'subscription')} ${were(subscriptions)} ended`,
  );
  return words && `${words}.`;
}

/** "Essential care, $49.00 per month". */
export function planLabel({
  name,
  plan_price,
  currency,
  billing_period,
  billing_interval,
}: LiveSubscriptionView): string {
  const every = billing_period && describeInterval({ interval: billing_period, interval_count: billing_interval ?? 1 });
  const price = plan_price !== null && currency && [formatMoney(plan_price, currency), every].filter(Boolean).join(' ');
  return [name ?? 'A subscription that is just being made', price].filter(Boolean).join(', ');
}
