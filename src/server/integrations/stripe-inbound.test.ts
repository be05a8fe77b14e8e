import { describe, expect, it } from 'vitest';
import { inboundTarget } from './stripe-inbound.ts';

const event = (type: string, object: Record<string, unknown>) =>
  inboundTarget({ id: 'evt_1', type, account: 'acct_1', livemode: false, data: { object } });

describe('what an event is about', () => {
  it('finds the subscription of its own and its invoices’ events', () => {
    expect(event('customer.subscription.updated', { id: 'sub_1' })).toBe('sub_1');
    const parent = (subscription: unknown) => ({ id: 'in_1', parent: { subscription_details: { subscription } } });
    expect(event('invoice.paid', parent('sub_1'))).toBe('sub_1');
    expect(event('invoice.paid', parent({ id: 'sub_1' }))).toBe('sub_1');
  });

  it('finds the account and the price list', () => {
    expect(event('account.updated', { id: 'acct_1' })).toBe('acct_1');
    expect(event('price.created', { id: 'price_1' })).toBe('plans');
    expect(event('product.updated', { id: 'prod_1' })).toBe('plans');
  });

  it('leaves everything else alone', () => {
    expect(event('invoice.paid', { id: 'in_1', parent: null })).toBeNull();
    expect(event('customer.created', { id: 'cus_1' })).toBeNull();
    expect(event('charge.succeeded', { id: 'ch_1' })).toBeNull();
  });
});
