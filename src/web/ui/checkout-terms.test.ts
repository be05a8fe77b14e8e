import { describe, expect, it } from 'vitest';
import { actionLabel, discountLabel, priceLabel, termsMessage } from './checkout-terms.ts';

const paid = {
  plan_price: 4900,
  currency: 'usd',
  billing_period: 'month',
  billing_interval: 1,
  trial_end: null,
  next_action: 'payment' as const,
  amount_due: 3675,
};
const trial = { ...paid, next_action: 'setup' as const, amount_due: 0, trial_end: '2026-12-01T05:30:00.000Z' };

describe('checkout page texts', () => {
  it('formats price and billing interval', () => {
    expect(priceLabel(paid)).toBe('$49.00 per month');
    expect(priceLabel({ ...paid, billing_interval: 3 })).toBe('$49.00 every 3 months');
    expect(priceLabel({ ...paid, plan_price: null })).toBeNull();
  });

  it('shows the amount due, not the list price', () => {
    expect(actionLabel(paid)).toBe('Pay $36.75');
    expect(actionLabel(trial)).toBe('Save card');
  });

  it('shows the end of the trial in the reader’s zone, and that nothing is charged today', () => {
    const text = 'Free until Dec 1, 2026, then $49.00 per month. Nothing is charged today.';
    expect(termsMessage(trial, 'Europe/Berlin')).toBe(text);
    expect(termsMessage(trial, 'America/Los_Angeles')).toContain('Nov 30, 2026');
  });

  it('shows the end date of a subscription that ends automatically', () => {
    const once = { ...paid, cancel_at: '2026-12-23T12:00:00.000Z' };
    expect(termsMessage(once, 'UTC')).toBe(
      '$49.00 per month, charged to this card until it ends by itself on Dec 23, 2026.',
    );
    expect(termsMessage({ ...trial, cancel_at: '2027-01-01T05:30:00.000Z' }, 'UTC')).toBe(
      'Free until Dec 1, 2026, then $49.00 per month until it ends by itself on Jan 1, 2027. Nothing is charged today.',
    );
    expect(termsMessage({ ...trial, cancel_at: trial.trial_end }, 'UTC')).toBe(
      'Free until Dec 1, 2026, and it ends then. Nothing is charged today.',
    );
  });

  it('says that the list price is before the discount', () => {
    const discount = { code: 'WELCOME20', percent_off: 20, amount_off: null };
    expect(termsMessage({ ...paid, discount }, 'UTC')).toBe(
      '$49.00 per month before the discount, charged to this card each time until you cancel.',
    );
  });

  it('says that a paused trial is charged as soon as the card is saved', () => {
    const pause_reason = 'trial_end_without_payment_method';
    const paused = { ...trial, status: 'paused' as const, pause_reason, amount_due: 4900 };
    expect(actionLabel(paused)).toBe('Save card and pay $49.00');
    expect(termsMessage(paused, 'UTC')).toBe(
      'It is paused. Once your card is saved it goes on at $49.00 per month, and $49.00 is charged.',
    );
  });

  it('says that a subscription paused on request is not charged', () => {
    const paused = { ...trial, status: 'paused' as const, pause_reason: 'pause_requested' };
    expect(actionLabel(paused)).toBe('Save card');
    expect(termsMessage(paused, 'UTC')).toBe('It is paused, and nothing is charged while it is.');
  });

  it('shows the discount of a code, and a first bill that differs from the price', () => {
    expect(discountLabel({ code: 'WELCOME20', percent_off: 20, amount_off: null }, 'usd')).toBe('WELCOME20: 20% off');
    expect(discountLabel({ code: null, percent_off: null, amount_off: 1000 }, 'usd')).toBe('$10.00 off');
    const bill = { date: trial.trial_end, amount_due: 3920 };
    const text = 'then $49.00 per month. Your first bill is $39.20. Nothing is charged today.';
    expect(termsMessage({ ...trial, next_bill: bill }, 'UTC')).toContain(text);
    expect(termsMessage({ ...trial, trial_end: null, next_bill: { ...bill, amount_due: 4900 } }, 'UTC')).toBe(
      'Free until Dec 1, 2026, then $49.00 per month. Nothing is charged today.',
    );
  });
});
