import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { MAX_COUNTED, type Requester, sendLimitOf, type UnusedSend } from './count-send.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const sent = (ms: number, purpose = 'sign_in'): UnusedSend => ({ purpose, sentAt: new Date(NOW.getTime() - ms) });
const everyMinute = (count: number) => Array.from({ length: count }, (_, n) => sent((n + 1) * MINUTE));
const limitOf = (own: UnusedSend[], requester: Partial<Requester> = {}, unknown = own.length) =>
  sendLimitOf({ own, unknown }, { known: false, purpose: 'sign_in', ...requester }, NOW);

describe('a known device', () => {
  const known = { known: true };

  test('waits 30 seconds after the first code and 60 after each later one', () => {
    expect(limitOf([], known)).toEqual({ wait: 0, bits: null, digits: 6, next: 30 * SECOND, nextDay: 0 });
    expect(limitOf([sent(10 * SECOND)], known)).toMatchObject({ wait: 20 * SECOND, next: 60 * SECOND, nextDay: 0 });
    expect(limitOf([sent(10 * SECOND), sent(HOUR)], known).wait).toBe(50 * SECOND);
    expect(limitOf(everyMinute(29), known).wait).toBe(0);
  });

  test('requests a code for another purpose without a wait', () => {
    expect(limitOf([sent(SECOND, 'confirm')], { ...known, purpose: 'reset' }).wait).toBe(0);
  });

  test('gets thirty unused codes a day', () => {
    expect(limitOf(everyMinute(30), known).wait).toBe(DAY - 30 * MINUTE);
    expect(limitOf(everyMinute(29), known)).toMatchObject({ wait: 0, nextDay: DAY - 29 * MINUTE });
  });

  test('never needs a proof of work, and gets six digits', () => {
    expect(limitOf([], known, MAX_COUNTED)).toMatchObject({ bits: null, digits: 6 });
  });
});

describe('an unknown source', () => {
  test.each([
    [1, 30],
    [2, 60],
    [3, 120],
    [4, 240],
    [9, 7680],
  ])('waits after %i unused codes for %i seconds', (count, seconds) => {
    const before = Array.from({ length: count - 1 }, () => sent(5 * HOUR));
    expect(limitOf(before)).toMatchObject({ wait: 0, next: seconds * SECOND, nextDay: 0 });
    expect(limitOf([sent(10 * SECOND), ...before]).wait).toBe((seconds - 10) * SECOND);
    expect(limitOf([sent(seconds * SECOND), ...before]).wait).toBe(0);
  });

  test('gets ten unused codes a day', () => {
    const nine = Array.from({ length: 9 }, (_, n) => sent((n + 3) * HOUR));
    expect(limitOf(nine)).toMatchObject({ wait: 0, nextDay: DAY - 11 * HOUR });
    expect(limitOf([sent(2 * HOUR), ...nine]).wait).toBe(DAY - 11 * HOUR);
  });

  test('requests a code for another purpose without a wait, but within one daily limit', () => {
    expect(limitOf([sent(0, 'confirm')], { purpose: 'reset' }).wait).toBe(0);
    const ten = Array.from({ length: 10 }, () => sent(HOUR, 'confirm'));
    expect(limitOf(ten, { purpose: 'reset' }).wait).toBe(DAY - HOUR);
  });

  test.each([
    [19, null, 6],
    [20, 18, 10],
    [29, 18, 10],
    [30, 19, 10],
    [40, 20, 10],
    [50, 21, 10],
    [60, 22, 10],
    [MAX_COUNTED, 22, 10],
  ])(
    'after %i requests of all such sources needs a proof of work of %s bits, gets %i digits, and is never rejected for them',
    (count, bits, digits) => {
      expect(limitOf([], {}, count)).toEqual({ wait: 0, bits, digits, next: 30 * SECOND, nextDay: 0 });
    },
  );
});
