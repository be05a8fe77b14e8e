import { expect, test } from 'vitest';
import { describePrice } from './plan-terms.ts';

test('formats a price as an amount and its interval', () => {
  expect(
    describePrice({ unit_amount: 4900, currency: 'usd', recurring: { interval: 'month', interval_count: 1 } }),
  ).toBe('$49.00 per month');
  expect(
    describePrice({ unit_amount: 12000, currency: 'usd', recurring: { interval: 'month', interval_count: 3 } }),
  ).toBe('$120.00 every 3 months');
  expect(describePrice({ unit_amount: 500, currency: 'usd', recurring: null })).toBe('$5.00 once');
});
