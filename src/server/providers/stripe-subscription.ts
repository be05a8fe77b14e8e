import type { Invoice, PaymentIntent, Recurring, Subscription } from './stripe-shapes.ts';

type Intent = { id: string; status: string; clientSecret: string | null };

/** A processor subscription in our words. Money in minor units. */
export type ProcessorSubscription = {
  id: string;
  status: Subscription['status'];
  customerId: string;
  metadata: Record<string, string>;
  currency: string;
  name: string | null;
  /** Sum over the items; null when a price has no fixed amount. */
  planPrice: number | null;
  recurring: Recurring;
  items: { id: string; priceId: string; quantity: number }[];
  cancelAtPeriodEnd: boolean;
  cancelAt: Date | null;
  canceledAt: Date | null;
  endedAt: Date | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  trialStart: Date | null;
  trialEnd: Date | null;
  discount: { code: string | null; percentOff: number | null; amountOff: number | null } | null;
  latestInvoice: {
    id: string;
    status: string | null;
    amountDue: number;
    currency: string;
    paymentIntent: Intent | null;
  } | null;
  pendingSetupIntent: Intent | null;
  createdAt: Date;
};

/** The payment as an invoice of up to 2025-02-24.acacia brings it along; where it was not expanded its id alone. */
function formerPayment({ payment_intent: named }: Invoice): { id: string; payment?: PaymentIntent } | undefined {
  if (!named) return undefined;
  return typeof named === 'string' ? { id: named } : { id: named.id, payment: named };
}

/**
 * The id of the payment that the invoice waits for or was paid with; none when nothing was due. Since 2025-03-31.basil
 * an invoice names it only through `confirmation_secret` and `payments`.
 */
export function paymentIntentIdOf(invoice: Invoice): string | null {
  const fromSecret = invoice.confirmation_secret?.client_secret.split('_secret_')[0];
  const fromPayments = invoice.payments?.data.find(({ payment }) => payment.payment_intent)?.payment.payment_intent;
  return fromSecret ?? fromPayments ?? formerPayment(invoice)?.id ?? null;
}

/** `payment` is the invoice's PaymentIntent when it was read; else its status follows from the invoice's. */
export function presentStripeSubscription(wire: Subscription, payment: PaymentIntent | null): ProcessorSubscription {
  const [first] = wire.items.data as [Subscription['items']['data'][number]];
  const amounts = wire.items.data.map(({ price, quantity }) => (price.unit_amount ?? Number.NaN) * quantity);
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const names = [...new Set(wire.items.data.map(({ price }) => price.product.name))].filter(Boolean);
  const [discount] = wire.discounts;
  const setup = wire.pending_setup_intent;
  return {
    id: wire.id,
    status: wire.status,
    customerId: wire.customer,
    metadata: wire.metadata,
    currency: wire.currency,
    name: names.join(' + ') || null,
    planPrice: Number.isNaN(total) ? null : total,
    recurring: first.price.recurring,
    items: wire.items.data.map(({ id, price, quantity }) => ({ id, priceId: price.id, quantity })),
    cancelAtPeriodEnd: wire.cancel_at_period_end,
    cancelAt: wire.cancel_at,
    canceledAt: wire.canceled_at,
    endedAt: wire.ended_at,
    currentPeriodStart: first.current_period_start,
    currentPeriodEnd: first.current_period_end,
    trialStart: wire.trial_start,
    trialEnd: wire.trial_end,
    discount: discount
      ? {
          code: discount.promotion_code ?? null,
          percentOff: discount.source.coupon.percent_off ?? null,
          amountOff: discount.source.coupon.amount_off ?? null,
        }
      : null,
    latestInvoice: wire.latest_invoice ? presentInvoice(wire.latest_invoice, payment) : null,
    pendingSetupIntent: setup ? { id: setup.id, status: setup.status, clientSecret: setup.client_secret } : null,
    createdAt: wire.created,
  };
}

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
    paymentIntent: intent || null,
  };
}
