import { describe, expect, it } from 'vitest';
import { brandName } from '#web/ui/card-brand.ts';
import {
  billLabel,
  cancelMessage,
  mayNotCancelMessage,
  mayUndo,
  nextBillLabel,
  noPaymentsMessage,
  paymentMethodLabels,
  planChangeMessage,
  settledMessage,
  statusLabelOf,
} from './manage-messages.ts';

const active = {
  status: 'active' as const,
  next_action: 'none' as const,
  amount_due: 0,
  currency: 'usd',
  cancel_at: null,
  ended_at: null,
  trial_end: null,
  current_period_end: '2026-12-01T05:30:00.000Z',
  next_bill: null,
};
const statusText = (more: object) => statusLabelOf({ ...active, ...more }, 'Europe/Berlin').text;

describe('subscription page texts', () => {
  it('describes the status and the next step', () => {
    expect(statusText({})).toBe('It renews by itself on Dec 1, 2026.');
    expect(statusText({ cancel_at: active.current_period_end })).toContain('until Dec 1, 2026 and ends then');
    const bill = { date: active.current_period_end, amount_due: 5000 };
    expect(statusText({ cancel_at: active.current_period_end })).toContain('not charged again');
    expect(statusText({ cancel_at: active.current_period_end, next_bill: bill })).not.toContain('not charged');
    expect(statusText({ status: 'past_due', next_action: 'payment', amount_due: 4900 })).toContain(
      '$49.00 did not go through',
    );
    expect(statusText({ status: 'past_due' })).toContain('on its way');
    expect(statusText({ status: 'incomplete', next_action: 'payment', amount_due: 4900 })).toContain(
      'when $49.00 is paid',
    );
    const paused = (pause_reason: string | null) => statusText({ status: 'paused', pause_reason });
    expect(paused('trial_end_without_payment_method')).toContain('Add a card below to resume it');
    expect(paused('pause_requested')).toContain('get in touch with your clinic');
    expect(statusText({ status: 'canceled', ended_at: '2026-11-30T23:30:00.000Z' })).toContain('ended on Dec 1, 2026');
    const trial = { status: 'trialing', trial_end: active.current_period_end };
    expect(statusText({ ...trial, next_action: 'setup' })).toContain('Save a card');
    expect(statusText({ ...trial, cancel_at: trial.trial_end })).toContain('Nothing is charged');
    expect(statusText({ ...trial, cancel_at: '2027-01-01T05:30:00.000Z' })).toContain('ends on Jan 1, 2027');
  });

  it('confirms a payment only after it has arrived', () => {
    const settled = (more: object, saves = false) => settledMessage({ ...active, ...more }, saves);
    expect(settled({})).toContain('has arrived');
    expect(settled({ status: 'trialing' }, true)).toBe('Your card is saved.');
    // The subscription ended in the meantime, or the bank has not confirmed yet.
    expect(settled({ status: 'canceled' })).toBeNull();
    expect(settled({ status: 'incomplete_expired' })).toBeNull();
    for (const status of ['incomplete', 'past_due', 'unpaid'])
      for (const next_action of ['none', 'payment'])
        expect(settled({ status, next_action })).toBe('Your payment is on its way.');
    expect(settled({ status: 'trialing', next_action: 'setup' }, true)).toBeNull();
  });

  it('offers no payment when the clinic takes none any more', () => {
    const view = { takes_payments: false, clinic: 'Riverbend Clinic', amount_due: 4900 };
    for (const status of ['incomplete', 'past_due', 'unpaid', 'paused']) {
      expect(statusText({ ...view, status, next_action: 'payment' })).not.toMatch(/below|is paid\.|on its way/);
      expect(noPaymentsMessage({ ...view, status } as never)).toContain('get in touch with Riverbend Clinic');
    }
    const trial = { ...view, status: 'trialing', trial_end: active.current_period_end, next_action: 'setup' };
    expect(statusText(trial)).not.toContain('below');
    expect(noPaymentsMessage({ ...view, status: 'canceled' } as never)).toBeNull();
    expect(noPaymentsMessage({ ...view, status: 'active', takes_payments: true } as never)).toBeNull();
  });

  it('describes the effect of a cancellation in advance', () => {
    expect(cancelMessage(active, 'UTC')).toContain('No new period is charged');
    expect(cancelMessage({ ...active, status: 'trialing', trial_end: active.current_period_end }, 'UTC')).toContain(
      'Nothing is charged',
    );
    expect(cancelMessage({ ...active, status: 'past_due' }, 'UTC')).toContain('still to be paid');
    expect(cancelMessage({ ...active, status: 'unpaid' }, 'UTC')).toContain('cannot be undone');
  });

  it('permits undoing a scheduled cancellation only for a running subscription', () => {
    const cancel_at = active.current_period_end;
    for (const status of ['trialing', 'active', 'past_due'] as const) expect(mayUndo({ status, cancel_at })).toBe(true);
    for (const status of ['incomplete', 'unpaid', 'paused', 'canceled'] as const)
      expect(mayUndo({ status, cancel_at })).toBe(false);
    expect(mayUndo(active)).toBe(false);
  });

  it('names the clinic to contact when patients may not cancel', () => {
    const noCancel = { status: 'active' as const, may_cancel: false, clinic: 'Riverbend Clinic' };
    expect(mayNotCancelMessage(noCancel)).toBe('To cancel, get in touch with Riverbend Clinic.');
    expect(mayNotCancelMessage({ ...noCancel, may_cancel: true })).toBeNull();
    expect(mayNotCancelMessage({ ...noCancel, status: 'canceled' })).toBeNull();
  });

  it('formats amounts, bills and card brands', () => {
    const bill = { date: active.current_period_end, amount_due: 4900 };
    expect(nextBillLabel(bill, 'usd', 'UTC')).toBe('$49.00 on Dec 1, 2026');
    expect(nextBillLabel({ ...bill, amount_due: null }, 'usd', 'UTC')).toBe('Dec 1, 2026');
    expect(planChangeMessage({ due_now: 2500, currency: 'usd', next_bill: bill }, 'UTC')).toBe(
      '$25.00 is charged today. Your next bill is $49.00 on Dec 1, 2026.',
    );
    expect(planChangeMessage({ due_now: 0, currency: 'usd', next_bill: null }, 'UTC')).toBe(
      'Nothing is charged today.',
    );
    const paid = { status: 'paid' as const, total: 4900, amount_refunded: 0 };
    const label = (more: object) => billLabel({ ...paid, ...more } as never).label;
    expect([label({}), label({ total: 0 }), label({ amount_refunded: 100 }), label({ amount_refunded: 4900 })]).toEqual(
      ['Paid', 'Free', 'Partly refunded', 'Refunded'],
    );
    expect([brandName('visa'), brandName('other')]).toEqual(['Visa', 'Card']);
  });
});

describe('the payment method', () => {
  const labelsOf = (card: Parameters<typeof paymentMethodLabels>[0]['card'], takes_payments = true) =>
    paymentMethodLabels({ card, takes_payments });
  const none = { brand: null, last4: null, exp_month: null, exp_year: null };

  it('shows a card by its last digits, other methods by name, or that there is none', () => {
    const visa = { type: 'card', brand: 'visa', last4: '4242', exp_month: 3, exp_year: 2040 };
    expect(labelsOf(visa)).toMatchObject({
      title: 'Visa ending in 4242',
      text: 'Expires 03/2040',
      change: 'Change card',
    });
    expect(labelsOf({ type: 'link', ...none })).toMatchObject({ title: 'Link', text: 'Bills are paid with it.' });
    expect(labelsOf(null)).toMatchObject({ title: 'No card', text: expect.stringContaining('until you add one') });
    expect(labelsOf(null, false).text).toBeNull();
  });
});
