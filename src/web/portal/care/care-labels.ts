import type { LiveSubscriptionView } from '#contract/care.ts';
import { pluralize } from '#web/ui/count-label.ts';
import { formatMoney } from '#web/ui/format-money.ts';
import { describeInterval } from '../plans/plan-terms.ts';

/** Numbers of appointments and subscriptions. */
export type Counts = { appointments: number; subscriptions: number };

const join = (appointments: string | false, subscriptions: string | false): string =>
  [appointments, subscriptions].filter(Boolean).join(' and ');

export const isEmpty = ({ appointments, subscriptions }: Counts): boolean => appointments + subscriptions === 0;

/** "2 appointments and 1 subscription". */
export const careCountLabel = ({ appointments, subscriptions }: Counts): string =>
  join(
    appointments > 0 && pluralize(appointments, 'appointment'),
    subscriptions > 0 && pluralize(subscriptions, 'subscription'),
  );

/** Says to staff who may not cancel subscriptions that "2 subscriptions" have to end first; null where none is left. */
export const cancelFirstMessage = ({ subscriptions }: Counts): string | null =>
  subscriptions > 0
    ? `This patient still has ${pluralize(subscriptions, 'subscription')}. A colleague who may cancel subscriptions has to end ${subscriptions === 1 ? 'it' : 'them'} first; then you can archive the patient.`
    : null;

/** Consent text for staff: "Cancel 2 appointments and end 1 subscription now". */
export function endCareLabel({ appointments, subscriptions }: Counts): string {
  const label = join(
    appointments > 0 && `cancel ${pluralize(appointments, 'appointment')}`,
    subscriptions > 0 && `end ${pluralize(subscriptions, 'subscription')}`,
  );
  return `${label.charAt(0).toUpperCase()}${label.slice(1)} now`;
}

/** Result text: "2 appointments were canceled and 1 subscription was ended." */
export function endedMessage({ appointments, subscriptions }: Counts): string {
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  const label = join(
    appointments > 0 && `${pluralize(appointments, 'appointment')} ${were(appointments)} canceled`,
    subscriptions > 0 && `${pluralize(subscriptions, 'subscription')} ${were(subscriptions)} ended`,
  );
  return label && `${label}.`;
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
