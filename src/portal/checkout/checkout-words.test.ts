import { describe, expect, it } from 'vitest';
import { actionWords, outcomeOf, priceWords, termsWords } from './checkout-words.ts';

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

describe('what the checkout page says', () => {
  it('names price and rhythm', () => {
    expect(priceWords(paid)).toBe('$49.00 per month');
    expect(priceWords({ ...paid, billing_interval: 3 })).toBe('$49.00 every 3 months');
    expect(priceWords({ ...paid, plan_price: null })).toBeNull();
  });

  it('asks for what is due, not for the list price', () => {
    expect(actionWords(paid)).toBe('Pay $36.75');
    expect(actionWords(trial)).toBe('Save card');
  });

  it('tells when a trial ends by the reader’s clock, and that today costs nothing', () => {
    const words = 'Free until Dec 1, 2026, then $49.00 per month. Nothing is charged today.';
    expect(termsWords(trial, 'Europe/Berlin')).toBe(words);
    expect(termsWords(trial, 'America/Los_Angeles')).toContain('Nov 30, 2026');
  });

  it.each([
    ['active', 'done'],
    ['trialing', 'done'],
    ['incomplete', 'working'],
    ['past_due', 'working'],
    ['canceled', 'ended'],
    ['incomplete_expired', 'ended'],
  ] as const)('takes %s for %s', (status, outcome) => {
    expect(outcomeOf(status)).toBe(outcome);
  });
});
