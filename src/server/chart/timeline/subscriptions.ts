import { declineReason } from '#contract/decline-reason.ts';
import { formatMoney } from '#contract/minor-units.ts';
import { fieldNames, type TimelineChange, type TimelineSection } from './section.ts';

const CARD_SAVED = new Set(['paymentMethod', 'pendingSetupIntent', 'latestInvoice', 'status']);

/** "$49.00", from the audit entry or else the event; null for entries older than amounts in the log. */
function moneyOf({ details, shown }: TimelineChange, name: 'amount_paid' | 'amount_remaining'): string | null {
  const bill = shown?.payment as Record<string, unknown> | undefined;
  const amount = details.amount ?? bill?.[name];
  const currency = details.currency ?? bill?.currency ?? shown?.currency;
  return typeof amount === 'number' && typeof currency === 'string' ? formatMoney(amount, currency) : null;
}

/** "$49.00 a month" */
function termsOf(shown: Record<string, unknown> | undefined): string | null {
  const { plan_price: price, currency, billing_period: period, billing_interval: count } = shown ?? {};
  if (typeof price !== 'number' || typeof currency !== 'string' || typeof period !== 'string') return null;
  return `${formatMoney(price, currency)} ${count === 1 ? `a ${period}` : `every ${count} ${period}s`}`;
}

/** Names the previous and the new plan when both events are available. */
function planChanged({ shown, before }: TimelineChange) {
  const [from, to] = [before, shown].map((payload) => (typeof payload?.name === 'string' ? payload.name : null));
  const [was, is] = [termsOf(before), termsOf(shown)];
  const note = was && is && was !== is ? `From ${was} to ${is}` : undefined;
  if (!to || from === to) return { title: 'The plan was changed', note };
  return { title: from ? `Changed from ${from} to ${to}` : `Changed to ${to}`, note };
}

const changed = (change: TimelineChange) => {
  const { details } = change;
  const names = Array.isArray(details.changed) ? (details.changed as string[]) : [];
  if (details.trial === 'ended') return 'A trial was ended';
  if (details.trial === 'moved') return 'The end of a trial was changed';
  if (details.undone === true) return 'A subscription was kept after all';
  if (details.replaced_by) return 'A promotion code was redeemed: another subscription took its place';
  if (details.promotion_code) return 'A promotion code was redeemed';
  if (details.resumed === true) return 'A paused subscription went on';
  if (details.price_ids || names.includes('items')) return planChanged(change);
  if (names.includes('currentPeriodStart')) return 'A subscription went on for another period';
  if (names.includes('cancelAtPeriodEnd') || names.includes('cancelAt')) return 'The end of a subscription was changed';
  if (names.length === 1 && names[0] === 'paymentMethod') return 'Bills are now paid with another card';
  if (names.includes('paymentMethod') && names.every((name) => CARD_SAVED.has(name))) return 'A card was saved';
  return { title: 'A subscription was changed', note: fieldNames(names) };
};

const failed = (change: TimelineChange) => {
  const { details } = change;
  const money = moneyOf(change, 'amount_remaining');
  const what = money ? `A payment of ${money}` : 'A payment';
  return {
    title: Number(details.attempt) > 1 ? `${what} was tried again and failed` : `${what} failed`,
    note: typeof details.reason === 'string' ? `Because ${declineReason(details.reason)}` : undefined,
  };
};

const paid = (change: TimelineChange) => {
  const money = moneyOf(change, 'amount_paid');
  return money ? `Paid ${money}` : 'A payment arrived';
};

/** Older entries contain the amount only; the currency is in the event. */
const refunded = (change: TimelineChange) => {
  const money = moneyOf(change, 'amount_paid');
  return money && change.details.amount !== undefined ? `Refunded ${money}` : 'A payment was refunded';
};

const disputed = (change: TimelineChange) => {
  const money = moneyOf(change, 'amount_paid');
  return money ? `A payment of ${money} was disputed` : 'A payment was disputed';
};

/** Subscriptions and their payments. */
export const subscriptionsSection: TimelineSection = {
  kind: 'subscriptions',
  texts: {
    'subscriptions.create': 'A subscription was started',
    'subscriptions.cancel': ({ details }: TimelineChange) =>
      details.at === 'period_end' ? 'A subscription was set to end with its period' : 'A subscription was canceled',
    'subscriptions.update': changed,
    'subscriptions.attach': 'A subscription at Stripe was attached',
    'subscriptions.attach_customer': 'A customer at Stripe was attached',
    'subscriptions.leave_alone': 'A subscription at Stripe was left alone',
    'payments.refund': refunded,
    'subscriptions.delete_customer': 'The patient was deleted as a customer at Stripe, which ended their subscriptions',
    'subscriptions.create_checkout_link': ({ details }: TimelineChange) =>
      details.sent === true ? 'A payment link was sent' : 'A payment link was made',
    'subscriptions.create_manage_link': 'A link to manage a subscription was made',
    'cards.start_setup': 'Saving a card began',
    'cards.set_default': 'Bills are now paid with another card',
    'cards.remove': 'A card was removed',
    'subscriptions.create_checkout_session': 'A payment page was opened at Stripe',
    'subscription.created': 'A subscription was started',
    'subscription.activated': 'A subscription became active',
    'subscription.updated': changed,
    'subscription.trial_will_end': 'A trial is about to end',
    'subscription.payment_succeeded': paid,
    'subscription.payment_failed': failed,
    'subscription.payment_action_required': 'A payment waits for the patient to confirm it',
    'subscription.refunded': refunded,
    'subscription.disputed': disputed,
    'subscription.canceled': 'A subscription ended',
    'subscription.expired': 'A subscription ended because it was never paid',
    // Names of earlier audit entries, which stay readable.
    'subscriptions.activate': 'A subscription became active',
    'subscriptions.sync': changed,
  },
};
