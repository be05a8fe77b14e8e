import { describe, expect, it } from 'vitest';
import { inboundTarget } from './stripe-inbound.ts';

const event = (type: string, object: Record<string, unknown>, previous_attributes?: Record<string, unknown>) =>
  inboundTarget({ id: 'evt_1', type, account: 'acct_1', livemode: false, data: { object, previous_attributes } });

describe('the object of a Stripe event', () => {
  it('is the subscription, for its own and its invoices’ events', () => {
    expect(event('customer.subscription.updated', { id: 'sub_1' })).toBe('sub_1');
    const parent = (subscription: unknown) => ({ id: 'in_1', parent: { subscription_details: { subscription } } });
    expect(event('invoice.paid', parent('sub_1'))).toBe('sub_1');
    expect(event('invoice.paid', parent({ id: 'sub_1' }))).toBe('sub_1');
  });

  it('is the payment that was refunded or disputed', () => {
    for (const type of ['charge.refunded', 'charge.refund.updated', 'refund.created', 'charge.dispute.closed'])
      expect(event(type, { id: 'x_1', payment_intent: 'pi_1' })).toBe('pi_1');
    expect(event('refund.created', { id: 're_1', payment_intent: null })).toBeNull();
  });

  it('is the customer whose payment method changed', () => {
    const before = { invoice_settings: { default_payment_method: null } };
    expect(event('customer.updated', { id: 'cus_1' }, before)).toBe('cus_1');
    expect(event('customer.updated', { id: 'cus_1' }, { name: 'Ada' })).toBeNull();
    for (const type of ['payment_method.updated', 'payment_method.automatically_updated'])
      expect(event(type, { id: 'pm_1', customer: 'cus_1' })).toBe('cus_1');
    expect(event('payment_method.detached', { id: 'pm_1', customer: null }, { customer: 'cus_1' })).toBe('cus_1');
    expect(event('payment_method.updated', { id: 'pm_1', customer: null })).toBeNull();
  });

  it('is the account or the price list', () => {
    expect(event('account.updated', { id: 'acct_1' })).toBe('acct_1');
    expect(event('price.created', { id: 'price_1' })).toBe('plans');
    expect(event('product.updated', { id: 'prod_1' })).toBe('plans');
  });

  it('is null for any other event', () => {
    expect(event('invoice.paid', { id: 'in_1', parent: null })).toBeNull();
    expect(event('customer.created', { id: 'cus_1' })).toBeNull();
    expect(event('charge.succeeded', { id: 'ch_1' })).toBeNull();
  });
});
