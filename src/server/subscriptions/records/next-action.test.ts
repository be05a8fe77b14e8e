import { describe, expect, it } from 'vitest';
import { nextAction } from './subscription.ts';

const invoice = (payment: string | null, status = 'open') => ({
  id: 'in_1',
  status,
  amount_due: 4900,
  currency: 'usd',
  payment_intent: payment ? { id: 'pi_1', status: payment } : null,
});
const setup = (status: string) => ({ id: 'seti_1', status });
const none = { latestInvoice: null, pendingSetupIntent: null };

describe('nextAction', () => {
  it.each([
    ['incomplete', 'requires_payment_method', 'payment'],
    ['incomplete', 'requires_action', 'payment'],
    ['past_due', 'requires_confirmation', 'payment'],
    ['unpaid', 'requires_payment_method', 'payment'],
    ['incomplete', 'processing', 'none'],
    ['incomplete', 'succeeded', 'none'],
    ['active', 'requires_payment_method', 'none'],
    ['canceled', 'requires_payment_method', 'none'],
    ['incomplete_expired', 'requires_payment_method', 'none'],
  ])('of %s with a payment in %s is %s', (status, payment, action) => {
    expect(nextAction({ ...none, status, latestInvoice: invoice(payment) })).toBe(action);
  });

  it.each([
    ['trialing', 'requires_payment_method', 'setup'],
    ['trialing', 'requires_action', 'setup'],
    ['active', 'requires_payment_method', 'setup'],
    ['trialing', 'succeeded', 'none'],
    ['canceled', 'requires_payment_method', 'none'],
  ])('of %s with a setup intent in %s is %s', (status, state, action) => {
    expect(nextAction({ status, latestInvoice: invoice(null, 'paid'), pendingSetupIntent: setup(state) })).toBe(action);
  });

  it('is none for an invoice that is draft, paid or void', () => {
    for (const state of ['draft', 'paid', 'void', 'uncollectible'])
      expect(
        nextAction({ ...none, status: 'past_due', latestInvoice: invoice('requires_payment_method', state) }),
      ).toBe('none');
  });
});
