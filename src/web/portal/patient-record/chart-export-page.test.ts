import { expect, test } from 'vitest';
import { asText, isInstant } from './chart-export-page.tsx';

test.each([
  [null, null],
  ['', null],
  [[], null],
  [{}, null],
  [{ a: null }, null],
  [true, 'yes'],
  [0, '0'],
  [['home', 'work'], 'home; work'],
  [{ plan_price: 4900, currency: 'usd' }, 'plan price: 4900, currency: usd'],
  [[{ at: { end: 'now' } }], 'at: end: now'],
])('prints %j as %j', (value, expected) => {
  expect(asText(value)).toBe(expected);
});

test('distinguishes an instant from a date and from other text', () => {
  expect(isInstant('2026-11-22T16:00:00.000Z')).toBe(true);
  expect(isInstant('2026-11-22T16:00:00+00:00')).toBe(true);
  for (const other of ['1990-02-28', '2026', 'Ada', null, 3]) expect(isInstant(other)).toBe(false);
});
