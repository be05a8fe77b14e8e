import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { addIntervals, nextBoundary } from './calendar.ts';
import { cardByAlias, cardByNumber, decideAttempt, TEST_CARDS } from './cards.ts';
import { discountLines } from './discounts.ts';
import { hasEnded, type LifecycleEvent, nextStatus } from './lifecycle.ts';
import { passesLuhn } from './luhn.ts';

const at = (text: string) => Date.parse(text) / 1000;

test('a day that a month lacks becomes its last day, and later months use the original day', () => {
  const anchor = at('2027-01-31T10:00:00Z');
  expect(addIntervals(anchor, 'month', 1)).toBe(at('2027-02-28T10:00:00Z'));
  expect(nextBoundary(anchor, 'month', 1, at('2027-02-28T10:00:00Z'))).toBe(at('2027-03-31T10:00:00Z'));
  expect(addIntervals(at('2028-02-29T00:00:00Z'), 'year', 1)).toBe(at('2029-02-28T00:00:00Z'));
});

test('nextBoundary returns the first boundary after the given time', () => {
  const interval = fc.constantFrom('day', 'week', 'month', 'year') as fc.Arbitrary<'day' | 'week' | 'month' | 'year'>;
  const anchor = fc.integer({ min: 0, max: at('2030-01-01T00:00:00Z') });
  fc.assert(
    fc.property(
      anchor,
      interval,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 10 ** 8 }),
      (from, unit, count, expected) => {
        const boundary = nextBoundary(from, unit, count, from + expected);
        expect(boundary).toBeGreaterThan(from + expected);
        const steps = Array.from({ length: 3200 }, (_, step) => step);
        const first = steps
          .map((step) => addIntervals(from, unit, step * count))
          .find((moment) => moment > from + expected);
        expect(boundary).toBe(first);
      },
    ),
    { numRuns: 60, seed: SEED },
  );
});

test('an ended subscription never changes its status', () => {
  const events: LifecycleEvent[] = [
    { type: 'invoice_paid' },
    { type: 'payment_failed' },
    { type: 'resumed' },
    { type: 'paused' },
    { type: 'canceled', incomplete: 'canceled' },
    { type: 'trial_ended', method: true, withoutMethod: 'cancel' },
    { type: 'retries_exhausted', policy: 'unpaid' },
  ];
  for (const status of ['canceled', 'incomplete_expired'] as const) {
    expect(hasEnded(status)).toBe(true);
    for (const event of events) expect(nextStatus(status, event)).toBe(status);
  }
});

test.each([
  [null, { type: 'created', trial: true, paymentDue: false, paid: false }, 'trialing'],
  [null, { type: 'created', trial: false, paymentDue: true, paid: false }, 'incomplete'],
  [null, { type: 'created', trial: false, paymentDue: false, paid: false }, 'active'],
  ['incomplete', { type: 'invoice_paid' }, 'active'],
  ['incomplete', { type: 'payment_failed' }, 'incomplete'],
  ['incomplete', { type: 'first_payment_expired' }, 'incomplete_expired'],
  ['trialing', { type: 'invoice_paid' }, 'trialing'],
  ['active', { type: 'payment_failed' }, 'past_due'],
  ['past_due', { type: 'invoice_paid' }, 'active'],
  ['past_due', { type: 'retries_exhausted', policy: 'unpaid' }, 'unpaid'],
  ['unpaid', { type: 'invoice_paid' }, 'active'],
  ['paused', { type: 'resumed' }, 'active'],
] as const)('%s after %o becomes %s', (before, event, after) => {
  expect(nextStatus(before, event)).toBe(after);
});

test('a test card’s result depends on purpose, authentication and off-session use', () => {
  const charge = { purpose: 'charge', authenticated: false, offSession: false, setUp: false } as const;
  const always = cardByNumber('4000002760003184')!;
  expect(decideAttempt(always, charge).type).toBe('authenticate');
  expect(decideAttempt(always, { ...charge, authenticated: true }).type).toBe('approved');
  expect(decideAttempt(always, { ...charge, offSession: true })).toMatchObject({
    problem: { code: 'authentication_required' },
  });
  const onSetup = cardByAlias('pm_card_authenticationRequiredOnSetup')!;
  expect(decideAttempt(onSetup, { ...charge, offSession: true, setUp: true }).type).toBe('approved');
  const chargeFails = cardByAlias('pm_card_chargeCustomerFail')!;
  expect([
    decideAttempt(chargeFails, { ...charge, purpose: 'setup' }).type,
    decideAttempt(chargeFails, charge).type,
  ]).toEqual(['approved', 'declined']);
  expect(TEST_CARDS.every(({ number }) => passesLuhn(number))).toBe(true);
});

test('discounts never exceed the discountable amount', () => {
  const coupon = { percent_off: null, amount_off: 5000, _products: [] };
  const discount = { id: 'di_1' };
  const lines = [
    { amount: 3000, product: 'a', discountable: true },
    { amount: 3000, product: 'b', discountable: true },
    { amount: -500, product: 'a', discountable: false },
  ];
  const apply = (overrides: object) =>
    discountLines(lines, [{ discount, coupon: { ...coupon, ...overrides } }] as never);
  expect(apply({}).map((discounts) => discounts.map(({ amount }) => amount))).toEqual([[3000], [2000], []]);
  expect(apply({ _products: ['b'] }).flat()).toEqual([{ amount: 3000, discount: 'di_1' }]);
  expect(
    apply({ amount_off: null, percent_off: 33.3 })
      .flat()
      .map(({ amount }) => amount),
  ).toEqual([999, 999]);
});
