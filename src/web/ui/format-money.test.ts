import { expect, test } from 'vitest';
import { formatMoney } from './format-money.ts';

test('minor units become the amount of the currency', () => {
  expect(formatMoney(4900, 'usd')).toBe('$49.00');
  expect(formatMoney(4900, 'jpy')).toBe('¥4,900');
});

test('currencies that the processor counts in hundredths without showing any are divided all the same', () => {
  expect(formatMoney(500, 'isk').replace(/\D/g, '')).toBe('5');
});
