import type { Invoice, PaymentIntent, PaymentMethod, Recurring, Subscription } from './stripe-shapes.ts';

type Intent = { id: string; status: string; clientSecret: string | null };

/** The payment method of a subscription; other methods than cards have only a type. */
export type ChargedMethod = {
  id: string;
  /** Stripe's type: `card`, `link`, `sepa_debit`, … */
  type: string;
  brand: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
};

/** A Stripe subscription in this service's terms. Money in minor units. */
export type StripeSubscription = {
  id: string;
  status: Subscription['status'];
  customerId: string;
  customerDeleted: boolean;
  metadata: Record<string, string>;
  currency: string;
  name: string | null;
  /** Sum over the items; null when a price has no fixed amount, or the intervals differ. */
  planPrice: number | null;
  /** The shortest interval; they may differ in a subscription made in Stripe's dashboard. */
  recurring: Recurring;
  hasMixedIntervals: boolean;
  items: { id: string; priceId: string; productId: string; quantity: number }[];
  cancelAtPeriodEnd: boolean;
  cancelAt: Date | null;
  canceledAt: Date | null;
  endedAt: Date | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  trialStart: Date | null;
  trialEnd: Date | null;
  discount: { code: string | null; percentOff: number | null; amountOff: number | null } | null;
  pauseCollection: { behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'; resumesAt: Date | null } | null;
  /** Stripe's reason for the pause; null if it is not paused, or an older API version gives none. */
  pauseReason: string | null;
  latestInvoice: {
    id: string;
    status: string | null;
    amountDue: number;
    currency: string;
    createdAt: Date | null;
    paymentIntent: Intent | null;
  } | null;
  pendingSetupIntent: Intent | null;
  paymentMethod: ChargedMethod | null;
  createdAt: Date;
};

/** The payment in an invoice of API versions up to 2025-02-24.acacia; only its id if it was not expanded. */
function formerPayment({ payment_intent: named }: Invoice): { id: string; payment?: PaymentIntent } | undefined {
  if (!named) return undefined;
  return typeof named === 'string' ? { id: named } : { id: named.id, payment: named };
}

/**
 * Returns the id of the invoice's payment; null when nothing was due. Since 2025-03-31.basil an invoice names it only
 * through `confirmation_secret` and `payments`.
 */
export function paymentIntentIdOf(invoice: Invoice): string | null {
  const fromSecret = invoice.confirmation_secret?.client_secret.split('_secret_')[0];
  const fromPayments = invoice.payments?.data.find(({ payment }) => payment.payment_intent)?.payment.payment_intent;
  return fromSecret ?? fromPayments ?? formerPayment(invoice)?.id ?? null;
}

/** Approximately in hundredths of a day: enough to compare intervals, with twelve months equal to a year. */
const LENGTHS = { day: 100, week: 700, month: 3044, year: 12 * 3044 };
const lengthOf = ({ interval, interval_count }: Recurring) => LENGTHS[interval] * interval_count;

/**
 * Converts a subscription. `payment` is the invoice's PaymentIntent if it was read; otherwise its status follows from
 * the invoice's.
 */
export function presentStripeSubscription(wire: Subscription, payment: PaymentIntent | null): StripeSubscription {
  const items = wire.items.data.toSorted((a, b) => lengthOf(a.price.recurring) - lengthOf(b.price.recurring));
  const [shortest] = items;
  if (!shortest) throw new Error('a subscription has at least one item');
  const { recurring } = shortest.price;
  const hasMixedIntervals = items.some(({ price }) => lengthOf(price.recurring) !== lengthOf(recurring));
  const amounts = wire.items.data.map(({ price, quantity }) => (price.unit_amount ?? Number.NaN) * quantity);
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const names = [...new Set(wire.items.data.map(({ price }) => price.product.name))].filter(Boolean);
  const [discount] = wire.discounts;
  const setup = wire.pending_setup_intent;
  const method = wire.default_payment_method ?? wire.customer.paymentMethod;
  return {
    id: wire.id,
    status: wire.status,
    customerId: wire.customer.id,
    customerDeleted: wire.customer.deleted,
    metadata: wire.metadata,
    currency: wire.currency,
    name: names.join(' + ') || null,
    planPrice: hasMixedIntervals || Number.isNaN(total) ? null : total,
    recurring,
    hasMixedIntervals,
    items: wire.items.data.map(({ id, price, quantity }) => ({
      ...{ id, priceId: price.id, productId: price.product.id, quantity },
    })),
    cancelAtPeriodEnd: wire.cancel_at_period_end,
    cancelAt: wire.cancel_at,
    canceledAt: wire.canceled_at,
    endedAt: wire.ended_at,
    // As Stripe does: from the latest start to the earliest end, when the next invoice is due.
    currentPeriodStart: new Date(Math.max(...items.map((item) => item.current_period_start.getTime()))),
    currentPeriodEnd: new Date(Math.min(...items.map((item) => item.current_period_end.getTime()))),
    trialStart: wire.trial_start,
    trialEnd: wire.trial_end,
    discount: discount
      ? {
          code: discount.promotion_code ?? null,
          percentOff: discount.source.coupon.percent_off ?? null,
          amountOff: discount.source.coupon.amount_off ?? null,
        }
      : null,
    pauseCollection: wire.pause_collection
      ? { behavior: wire.pause_collection.behavior, resumesAt: wire.pause_collection.resumes_at }
      : null,
    pauseReason: (wire.status === 'paused' && wire.status_details?.paused?.subscription?.type) || null,
    latestInvoice: wire.latest_invoice ? presentInvoice(wire.latest_invoice, payment) : null,
    pendingSetupIntent: setup ? { id: setup.id, status: setup.status, clientSecret: setup.client_secret } : null,
    paymentMethod: method && chargedMethod(method),
    createdAt: wire.created,
  };
}

export const chargedMethod = ({ id, type, card }: PaymentMethod): ChargedMethod => ({
  id,
  type,
  brand: card?.brand ?? null,
  last4: card?.last4 ?? null,
  exp_month: card?.exp_month ?? null,
  exp_year: card?.exp_year ?? null,
});

function presentInvoice(invoice: Invoice, read: PaymentIntent | null) {
  const id = paymentIntentIdOf(invoice);
  const payment = read ?? formerPayment(invoice)?.payment;
  const settled = { paid: 'succeeded', void: 'canceled' }[invoice.status as string];
  const intent = id && {
    id,
    status: payment?.status ?? settled ?? 'requires_payment_method',
    clientSecret: invoice.confirmation_secret?.client_secret ?? payment?.client_secret ?? null,
  };
  return {
    id: invoice.id,
    status: invoice.status,
    amountDue: invoice.amount_due,
    currency: invoice.currency,
    createdAt: invoice.created,
    paymentIntent: intent || null,
  };
}

/** The clinic's setting for a trial that ends without a card, mapped to Stripe's. */
const MISSING_CARD = { cancel: 'cancel', pause: 'pause', past_due: 'create_invoice' } as const;
export type TrialEnd = keyof typeof MISSING_CARD;

/** Returns the trial's parameters, for a subscription and for Stripe's hosted page. */
export const trialOf = ({ trialDays, trialEnd }: { trialDays: number | null; trialEnd?: TrialEnd | undefined }) =>
  trialDays !== null && {
    trial_period_days: trialDays,
    ...(trialEnd && { trial_settings: { end_behavior: { missing_payment_method: MISSING_CARD[trialEnd] } } }),
  };
