import type { ManagedPayment, ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { waitsForCard } from '#contract/subscription-status.ts';
import { methodName } from '#web/ui/card-brand.ts';
import type { Tone } from '../../ui/badge.tsx';
import { priceLabel } from '../../ui/checkout-terms.ts';
import { formatMoney } from '../../ui/format-money.ts';
import { formatInstant } from '../../ui/format-time.ts';

type StatusFields = Pick<
  ManagedSubscriptionView,
  | 'status'
  | 'next_action'
  | 'amount_due'
  | 'currency'
  | 'cancel_at'
  | 'ended_at'
  | 'trial_end'
  | 'current_period_end'
  | 'next_bill'
> &
  Partial<Pick<ManagedSubscriptionView, 'pause_collection' | 'pause_reason' | 'takes_payments'>>;
type StatusLabel = { label: string; tone: Tone; text: string };

const NOT_PAYABLE_HERE = 'It cannot be paid here any more.';
const ENDED_STATUSES = ['canceled', 'incomplete_expired'];
const RUNNING_STATUSES = ['active', 'trialing'];
export const hasEnded = ({ status }: Pick<StatusFields, 'status'>): boolean => ENDED_STATUSES.includes(status);

/** Describes the status of the subscription and the next step for the patient. */
export function statusLabelOf(view: StatusFields, timeZone: string): StatusLabel {
  const day = (instant: string) => formatInstant(instant, 'date', timeZone);
  const due = formatMoney(view.amount_due, view.currency);
  const toPay = view.next_action === 'payment';
  const isHere = view.takes_payments !== false;
  switch (view.status) {
    case 'canceled':
    case 'incomplete_expired': {
      const text = view.ended_at ? `It ended on ${day(view.ended_at)}.` : 'It has ended.';
      return { label: 'Ended', tone: 'neutral', text: `${text} Nothing more is charged.` };
    }
    case 'incomplete':
      return {
        label: 'Not paid yet',
        tone: 'warn',
        text: !isHere ? NOT_PAYABLE_HERE : toPay ? `It begins when ${due} is paid.` : 'Your payment is on its way.',
      };
    case 'past_due':
    case 'unpaid':
      return {
        label: 'Payment overdue',
        tone: 'danger',
        text: !isHere
          ? `Your last payment did not go through. ${NOT_PAYABLE_HERE}`
          : toPay
            ? `Your last payment of ${due} did not go through. Pay it below with any card; later bills are paid with that card, too.`
            : 'Your last payment did not go through. A new payment is on its way.',
      };
    case 'paused':
      return {
        label: 'Paused',
        tone: 'warn',
        text: isHere
          ? waitsForCard(view)
            ? 'It is paused because there was no card to pay with. Add a card below to resume it; its price is charged then.'
            : 'It is paused, and nothing is charged while it is. To resume it, get in touch with your clinic.'
          : `It is paused. ${NOT_PAYABLE_HERE}`,
      };
    case 'trialing':
      return trialLabel(view, day);
    case 'active':
      if (view.cancel_at) {
        const text = `It is yours until ${day(view.cancel_at)} and ends then.`;
        return { label: 'Ending', tone: 'info', text: view.next_bill ? text : `${text} You are not charged again.` };
      }
      if (view.pause_collection) {
        const { resumes_at } = view.pause_collection;
        const until = resumes_at ? `until ${day(resumes_at)}` : 'for now';
        return { label: 'Active', tone: 'good', text: `Payments are paused: you are not charged ${until}.` };
      }
      return {
        label: 'Active',
        tone: 'good',
        text: view.current_period_end ? `It renews by itself on ${day(view.current_period_end)}.` : 'It is active.',
      };
  }
}

function trialLabel(
  { trial_end, cancel_at, next_action, takes_payments }: StatusFields,
  day: (instant: string) => string,
): StatusLabel {
  const until = trial_end ? ` until ${day(trial_end)}` : '';
  if (cancel_at && trial_end && Date.parse(cancel_at) <= Date.parse(trial_end))
    return { label: 'Ending', tone: 'info', text: `It is free${until} and ends then. Nothing is charged.` };
  if (cancel_at)
    return { label: 'Free trial', tone: 'info', text: `It is free${until} and ends on ${day(cancel_at)}.` };
  const after =
    next_action === 'setup' && takes_payments !== false ? ' Save a card below, so that it can go on after that.' : '';
  return { label: 'Free trial', tone: 'info', text: `It is free${until}.${after}` };
}

/** Returns true if a scheduled cancellation can be undone; an unpaid or ended subscription can only be canceled. */
export const mayUndo = ({ status, cancel_at }: Pick<StatusFields, 'status' | 'cancel_at'>): boolean =>
  cancel_at !== null && ['trialing', 'active', 'past_due'].includes(status);

/** Describes the effect of a cancellation. */
export function cancelMessage(view: StatusFields, timeZone: string): string {
  const day = (instant: string | null) => (instant ? ` on ${formatInstant(instant, 'date', timeZone)}` : '');
  switch (view.status) {
    case 'trialing':
      return `Your trial goes on until it ends${day(view.trial_end)}. Nothing is charged, and you can change your mind until then.`;
    case 'active':
      return `It stays yours until it ends${day(view.current_period_end)}. No new period is charged, and you can change your mind until then.`;
    case 'past_due':
      return `It ends${day(view.current_period_end)}. What is owed already is still to be paid.`;
    default:
      return 'It ends now, and this cannot be undone.';
  }
}

/** The text for a patient who may not cancel: contact the clinic. */
export const mayNotCancelMessage = (view: Pick<ManagedSubscriptionView, 'status' | 'may_cancel' | 'clinic'>) =>
  view.may_cancel || hasEnded(view) ? null : `To cancel, get in touch with ${view.clinic}.`;

/** The confirmation after a card was entered; null when the status text is sufficient. */
export function settledMessage(view: Pick<StatusFields, 'status' | 'next_action'>, saves: boolean): string | null {
  if (hasEnded(view)) return null;
  if (view.next_action === 'none' && RUNNING_STATUSES.includes(view.status))
    return saves ? 'Your card is saved.' : 'Thank you, your payment has arrived.';
  return saves ? null : 'Your payment is on its way.';
}

/** The text when the clinic takes no payments any more: contact the clinic. */
export const noPaymentsMessage = (view: Pick<ManagedSubscriptionView, 'status' | 'takes_payments' | 'clinic'>) =>
  view.takes_payments || hasEnded(view) ? null : `To pay or to change your card, get in touch with ${view.clinic}.`;

/** "$49.00 on Dec 1, 2026". */
export function nextBillLabel(
  bill: { date: string; amount_due: number | null },
  currency: string,
  timeZone: string,
): string {
  const date = formatInstant(bill.date, 'date', timeZone);
  return bill.amount_due === null ? date : `${formatMoney(bill.amount_due, currency)} on ${date}`;
}

/** The price of a plan change: now, and with the next bill. */
export function planChangeMessage(
  preview: { due_now: number; currency: string; next_bill: { date: string; amount_due: number } | null },
  timeZone: string,
): string {
  const now =
    preview.due_now > 0
      ? `${formatMoney(preview.due_now, preview.currency)} is charged today.`
      : 'Nothing is charged today.';
  const { next_bill: bill } = preview;
  return bill ? `${now} Your next bill is ${nextBillLabel(bill, preview.currency, timeZone)}.` : now;
}

export const priceOf = (
  plan: Pick<ManagedSubscriptionView, 'plan_price' | 'currency' | 'billing_period' | 'billing_interval'>,
): string | null => priceLabel({ ...plan, trial_end: null, next_action: 'none', amount_due: 0 });

/** The status of a bill. */
export function billLabel({ status, amount_refunded, total }: ManagedPayment): { label: string; tone: Tone } {
  if (amount_refunded > 0) return { label: amount_refunded >= total ? 'Refunded' : 'Partly refunded', tone: 'info' };
  if (status === 'paid') return total === 0 ? { label: 'Free', tone: 'neutral' } : { label: 'Paid', tone: 'good' };
  if (status === 'open') return { label: 'To be paid', tone: 'warn' };
  return { label: 'Not to be paid', tone: 'neutral' };
}

/** The payment method, its details, and the labels for replacing it. */
export function paymentMethodLabels({
  card,
  takes_payments,
}: Pick<ManagedSubscriptionView, 'card' | 'takes_payments'>) {
  if (!card) {
    const text = takes_payments ? 'Bills cannot be paid until you add one.' : null;
    return { title: 'No card', text, change: 'Add a card', keep: 'Not now' };
  }
  const name = methodName(card);
  if (card.type !== 'card')
    return { title: name, text: 'Bills are paid with it.', change: 'Change how you pay', keep: `Keep ${name}` };
  return {
    title: `${name} ending in ${card.last4}`,
    text: `Expires ${String(card.exp_month).padStart(2, '0')}/${card.exp_year}`,
    change: 'Change card',
    keep: 'Keep this card',
  };
}
