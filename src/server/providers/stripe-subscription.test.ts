import { describe, expect, it } from 'vitest';
import * as shapes from './stripe-shapes.ts';
import { presentStripeSubscription } from './stripe-subscription.ts';

const SECRET = 'pi_1Open_secret_abc';
const payment = { id: 'pi_1Open', object: 'payment_intent', status: 'requires_payment_method', client_secret: SECRET };

/** A subscription whose first invoice holds its payment in the format of one Stripe API version. */
function withInvoice(invoice: object, rest: object = {}) {
  const price = {
    id: 'price_1',
    unit_amount: 4900,
    recurring: { interval: 'month', interval_count: 1 },
    product: { name: 'Care' },
  };
  const item = { id: 'si_1', quantity: 1, current_period_start: 1, current_period_end: 2, price };
  return shapes.Subscription.parse({
    id: 'sub_1',
    object: 'subscription',
    status: 'incomplete',
    customer: 'cus_1',
    currency: 'usd',
    created: 1,
    cancel_at_period_end: false,
    items: { data: [item] },
    latest_invoice: { id: 'in_1', status: 'open', amount_due: 4900, currency: 'usd', ...invoice },
    ...rest,
  });
}

describe('the client secret of the first payment', () => {
  it.each([
    ['in confirmation_secret, since basil', { confirmation_secret: { client_secret: SECRET, type: 'payment_intent' } }],
    ['in the expanded payment_intent, until acacia', { payment_intent: payment }],
  ])('is read %s', (_, invoice) => {
    const { latestInvoice, pendingSetupIntent } = presentStripeSubscription(withInvoice(invoice), null);
    expect(latestInvoice?.paymentIntent).toEqual({
      id: 'pi_1Open',
      status: 'requires_payment_method',
      clientSecret: SECRET,
    });
    expect(pendingSetupIntent).toBeNull();
  });

  it.each([
    ['among payments', { payments: { data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1Open' } }] } }],
    ['as an id alone', { payment_intent: 'pi_1Open' }],
  ])('comes from the payment if the invoice only names it, %s', (_, invoice) => {
    expect(presentStripeSubscription(withInvoice(invoice), null).latestInvoice?.paymentIntent).toMatchObject({
      id: 'pi_1Open',
      clientSecret: null,
    });
    expect(presentStripeSubscription(withInvoice(invoice), payment).latestInvoice?.paymentIntent?.clientSecret).toBe(
      SECRET,
    );
  });

  it.each([
    ['since basil', { confirmation_secret: null }],
    ['until acacia', { payment_intent: null }],
  ])('is null if nothing is due, %s: then the setup intent has one', (_, invoice) => {
    const setup = { id: 'seti_1', status: 'requires_payment_method', client_secret: 'seti_1_secret_abc' };
    const shown = presentStripeSubscription(
      withInvoice({ status: 'paid', amount_due: 0, ...invoice }, { status: 'trialing', pending_setup_intent: setup }),
      null,
    );
    expect(shown.latestInvoice?.paymentIntent).toBeNull();
    expect(shown.pendingSetupIntent).toEqual({ id: 'seti_1', status: setup.status, clientSecret: setup.client_secret });
  });
});
