import { expect, test } from 'vitest';
import { amountText, minorUnitsOf } from './parse-money.ts';

test('parses amounts with a sign, thousands and a decimal comma', () => {
  for (const text of ['49', '49.00', '49,00', ' $49 ', '$ 49.0']) expect(minorUnitsOf(text, 'usd')).toBe(4900);
  expect(minorUnitsOf('1,049.50', 'usd')).toBe(104_950);
  expect(minorUnitsOf('1,049', 'usd')).toBe(104_900);
  expect(minorUnitsOf('¥4,900', 'jpy')).toBe(4900);
  expect(minorUnitsOf('€49', 'eur')).toBe(4900);
  expect(minorUnitsOf('$49', 'cad')).toBe(4900);
});

test('parses an amount that is too large for any charge', () => {
  expect(minorUnitsOf('99999999999', 'usd')).toBe(9_999_999_999_900);
  expect(minorUnitsOf('9'.repeat(400), 'jpy')).toBe(Number.POSITIVE_INFINITY);
});

test('rejects the sign of another currency, and too many decimals', () => {
  for (const text of ['€49', '£49', '49 €', '$$49', '49.001', '-49', '', '$'])
    expect(minorUnitsOf(text, 'usd')).toBeNaN();
  expect(minorUnitsOf('$49', 'eur')).toBeNaN();
  expect(minorUnitsOf('49.5', 'jpy')).toBeNaN();
});

test('with three decimals, a comma before the last three digits could mean two amounts', () => {
  expect(minorUnitsOf('4,900', 'kwd')).toBeNaN();
  expect(minorUnitsOf('1,234,900', 'kwd')).toBeNaN();
  expect(minorUnitsOf('4.900', 'kwd')).toBe(4900);
  expect(minorUnitsOf('4,900.000', 'kwd')).toBe(4_900_000);
  expect(minorUnitsOf('4,9', 'kwd')).toBe(4900);
});

test('an amount is written so that it is parsed again', () => {
  for (const currency of ['usd', 'jpy', 'kwd', 'isk'])
    expect(minorUnitsOf(amountText(123_456, currency), currency)).toBe(123_456);
});
