import type { SubscriptionView } from '#contract/subscriptions.ts';
import { formatMoney } from '../../ui/format-money.ts';
import { localDate } from '../../ui/format-time.ts';

const HOUR_MS = 3_600_000;

/** Moves an instant to another day of the reader's calendar at the same time, also where clocks change. */
export function moveToDay(day: string, instant: string, timeZone: string): string {
  const at = Date.parse(instant) + Date.parse(day) - Date.parse(localDate(instant, timeZone));
  const shifted = [0, -HOUR_MS, HOUR_MS].find((shift) => localDate(new Date(at + shift), timeZone) === day);
  return new Date(at + (shifted ?? 0)).toISOString();
}

type Charged = Pick<SubscriptionView, 'plan_price' | 'currency' | 'discount' | 'payment_method'>;

/** Says what it costs to end a trial now. */
export function endTrialMessage({ plan_price, currency, discount, payment_method }: Charged): string {
  if (plan_price === 0) return 'Nothing is charged.';
  if (!payment_method && (discount?.percent_off === 100 || (discount?.amount_off ?? -1) >= (plan_price ?? 0)))
    return 'Nothing is charged now, if the code takes off all of it. Later bills need a card.';
  if (!payment_method) return 'There is no card on file to charge: send the patient the link to save one first.';
  const price = plan_price === null ? '' : `: ${formatMoney(plan_price, currency)}`;
  return `The card on file is charged at once${price}${discount ? ', less the discount' : ''}.`;
}

type When = { title: string; hint: string };

/** Choices of when a subscription ends. A trial that ends with its period is billed once. */
export function endChoices({ status }: Pick<SubscriptionView, 'status'>): Record<'period_end' | 'now', When> {
  return status === 'trialing'
    ? {
        period_end: {
          title: 'After one paid period',
          hint: 'It is billed once when the trial is over, and ends after that.',
        },
        now: { title: 'Now', hint: 'The trial is over at once, and nothing is billed.' },
      }
    : {
        period_end: { title: 'At the end of the paid period', hint: 'The patient keeps what they paid for.' },
        now: { title: 'Now', hint: 'Access ends at once.' },
      };
}
