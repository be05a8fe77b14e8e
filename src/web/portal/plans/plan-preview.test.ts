import { expect, test } from 'vitest';
import { termsMessage } from '#web/ui/checkout-terms.ts';
import { codeTerms } from './code-terms.ts';
import { NO_DETAILS, newPrice, type PriceValues } from './plan-form-values.ts';
import { previewOf } from './plan-preview.tsx';

const NOW = Date.parse('2026-11-16T15:00:00.000Z');
const typed = (price: Partial<PriceValues>, trial = '') => ({
  ...{ ...NO_DETAILS, name: 'Essential care', trial_period_in_days: trial },
  ...{ ...newPrice('usd'), unit_amount: '49', ...price },
});
const terms = (price: Partial<PriceValues>, trial?: string) => {
  const view = previewOf(typed(price, trial), NOW);
  return view && [view.name, view.amount_due, termsMessage(view, 'UTC')];
};

test('a plan is previewed in the words of the payment page', () => {
  expect(terms({})).toEqual([
    'Essential care',
    4900,
    '$49.00 per month, charged to this card each time until you cancel.',
  ]);
  expect(terms({ recurring: { interval: 'week', interval_count: '2' } }, '14')).toEqual([
    'Essential care',
    0,
    'Free until Nov 30, 2026, then $49.00 every 2 weeks. Nothing is charged today.',
  ]);
});

test('a plan that cannot be made has no preview', () => {
  for (const unit_amount of ['', '0.49', '1000000', '€49']) expect(terms({ unit_amount })).toBeNull();
  expect(terms({ unit_amount: '4,900', currency: 'kwd' })).toBeNull();
  for (const interval_count of ['0', '37', '1.5'])
    expect(terms({ recurring: { interval: 'month', interval_count } })).toBeNull();
  for (const trial of ['0', '731', '1.5']) expect(terms({}, trial)).toBeNull();
});

test('a promotion code is described by its discount and its bills', () => {
  const percent = { percent_off: 20, amount_off: null, currency: null, duration_in_months: null };
  expect(codeTerms({ ...percent, duration: 'once' })).toBe('20% off the first bill');
  expect(codeTerms({ ...percent, duration: 'forever' })).toBe('20% off every bill');
  const amount = { percent_off: null, amount_off: 500, currency: 'usd' };
  expect(codeTerms({ ...amount, duration: 'repeating', duration_in_months: 3 })).toBe('$5.00 off for 3 months');
});
