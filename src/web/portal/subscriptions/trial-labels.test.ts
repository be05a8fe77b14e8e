import { describe, expect, it, test } from 'vitest';
import { endChoices, endTrialMessage, moveToDay } from './trial-labels.ts';

describe('moving the end of a trial to another day', () => {
  // In Los Angeles it is the evening before.
  const end = '2026-12-07T03:39:14.000Z';
  it.each([
    ['2026-12-06', 'America/Los_Angeles', end],
    ['2026-12-10', 'America/Los_Angeles', '2026-12-11T03:39:14.000Z'],
    ['2026-12-10', 'UTC', '2026-12-10T03:39:14.000Z'],
    ['2026-12-10', 'Asia/Tokyo', '2026-12-10T03:39:14.000Z'],
  ])('%s in %s is %s', (day, zone, expected) => {
    expect(moveToDay(day, end, zone)).toBe(expected);
  });

  it('returns that day across a clock change', () => {
    expect(moveToDay('2026-03-10', '2026-03-05T07:30:00.000Z', 'America/Los_Angeles')).toBe('2026-03-11T06:30:00.000Z');
  });
});

describe('messages before a trial is ended', () => {
  const card = { id: 'pm_1', type: 'card', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 };
  const trial = { plan_price: 9900, currency: 'usd', discount: null, payment_method: card };
  test('state the amount that the card is charged', () => {
    expect(endTrialMessage(trial)).toBe('The card on file is charged at once: $99.00.');
    const discount = { code: 'HALF', percent_off: 50, amount_off: null };
    expect(endTrialMessage({ ...trial, discount })).toBe(
      'The card on file is charged at once: $99.00, less the discount.',
    );
    expect(endTrialMessage({ ...trial, payment_method: null })).toContain('no card on file');
    expect(endTrialMessage({ ...trial, plan_price: 0, payment_method: null })).toBe('Nothing is charged.');
  });

  test('say that canceling at the end of the period bills it once', () => {
    expect(endChoices({ status: 'trialing' }).period_end.hint).toContain('billed once');
    expect(endChoices({ status: 'active' }).period_end.hint).toBe('The patient keeps what they paid for.');
  });
});
