import type { CheckoutView } from '#contract/checkout-links.ts';
import { waitsForCard } from '#contract/subscription-status.ts';
import { formatMoney } from './format-money.ts';
import { formatInstant } from './format-time.ts';

/** What a patient sees of a subscription before paying it; staff see the same of a plan. */
export type Terms = Pick<
  CheckoutView,
  'plan_price' | 'currency' | 'billing_period' | 'billing_interval' | 'trial_end' | 'next_action' | 'amount_due'
> & {
  /** The first bill after today, if it differs from the price. */
  next_bill?: CheckoutView['next_bill'];
  status?: CheckoutView['status'];
  pause_reason?: CheckoutView['pause_reason'];
  cancel_at?: CheckoutView['cancel_at'];
  discount?: CheckoutView['discount'];
};

/** "$49.00 per month", "$120.00 every 3 months"; null when the price varies. */
export function priceLabel({ plan_price, currency, billing_period, billing_interval }: Terms): string | null {
  if (plan_price === null || !billing_period) return null;
  const each = (billing_interval ?? 1) === 1 ? `per ${billing_period}` : `every ${billing_interval} ${billing_period}s`;
  return `${formatMoney(plan_price, currency)} ${each}`;
}

export const PAUSED = 'It is paused, and nothing is charged while it is.';

/** Describes what is charged, and when. */
export function termsMessage(view: Terms, timeZone: string): string {
  const list = priceLabel(view);
  // The duration of a discount is unknown here.
  const price = list && view.discount ? `${list} before the discount` : list;
  const end = view.cancel_at && formatInstant(view.cancel_at, 'date', timeZone);
  if (waitsForCard(view)) {
    const due = formatMoney(view.amount_due, view.currency);
    return `It is paused. Once your card is saved it goes on${price ? ` at ${price}` : ''}, and ${due} is charged.`;
  }
  if (view.status === 'paused') return PAUSED;
  if (view.next_action === 'setup') {
    const { next_bill: bill } = view;
    const first =
      bill && bill.amount_due !== view.plan_price
        ? ` Your first bill is ${formatMoney(bill.amount_due, view.currency)}.`
        : '';
    const free = view.trial_end ?? bill?.date;
    if (!free) return 'Nothing is charged today.';
    const isFreeOnly = view.cancel_at && Date.parse(view.cancel_at) <= Date.parse(free);
    const until = end ? ` until it ends by itself on ${end}` : '';
    const then = isFreeOnly ? ', and it ends then' : price ? `, then ${price}${until}` : '';
    return `Free until ${formatInstant(free, 'date', timeZone)}${then}.${first} Nothing is charged today.`;
  }
  if (end) return `${price ? `${price}, charged` : 'Charged'} to this card until it ends by itself on ${end}.`;
  return price
    ? `${price}, charged to this card each time until you cancel.`
    : 'Charged to this card until you cancel.';
}

/** "WELCOME20: 20% off", "$10.00 off". */
export function discountLabel(
  { code, percent_off, amount_off }: NonNullable<CheckoutView['discount']>,
  currency: string,
): string {
  const off =
    percent_off !== null
      ? `${percent_off}% off`
      : amount_off !== null
        ? `${formatMoney(amount_off, currency)} off`
        : '';
  return [code, off].filter(Boolean).join(': ') || 'A discount is applied';
}

/** The label of the confirm button. */
export function actionLabel({ next_action, amount_due, currency, pause_reason = null }: Terms): string {
  const due = formatMoney(amount_due, currency);
  if (next_action !== 'setup') return `Pay ${due}`;
  return waitsForCard({ pause_reason }) ? `Save card and pay ${due}` : 'Save card';
}
