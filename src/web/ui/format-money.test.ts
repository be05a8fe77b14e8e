import { expect, test } from 'vitest';
import { formatMoney } from './format-money.ts';

test('formats minor units as an amount of the currency', () => {
  expect(formatMoney(4900, 'usd')).toBe('$49.00');
  expect(formatMoney(4900, 'jpy')).toBe('¥4,900');
});

test('divides currencies that Stripe counts in hundredths but that have no decimals', () => {
  expect(formatMoney(500, 'isk').replace(/\D/g, '')).toBe('5');
});
