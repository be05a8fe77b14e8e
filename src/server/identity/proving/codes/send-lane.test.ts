import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { type Asker, laneOf, type StandingSend } from './send-lane.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const stranger = (source: string, ms: number, purpose = 'sign_in'): StandingSend => ({
  source,
  known: false,
  purpose,
  sentAt: ago(ms),
});
const own = (ms: number, purpose = 'sign_in'): StandingSend => ({ ...stranger('home', ms, purpose), known: true });
const strangers = (count: number, ms = HOUR) => Array.from({ length: count }, (_, n) => stranger(`s${n}`, ms));
const ask = (standing: StandingSend[], asker: Partial<Asker> = {}) =>
  laneOf(standing, { source: 'mine', known: false, purpose: 'sign_in', ...asker }, NOW);
const known = { source: 'home', known: true };

describe('a known device', () => {
  test('waits 30 seconds after the first code and 60 after each later one, whatever strangers do', () => {
    expect(ask(strangers(60, 0), known)).toEqual({ wait: 0, bits: null, next: 30 * SECOND });
    expect(ask([own(10 * SECOND)], known)).toEqual({ wait: 20 * SECOND, bits: null, next: 60 * SECOND });
    expect(ask([own(10 * SECOND), own(HOUR)], known).wait).toBe(50 * SECOND);
    expect(ask(Array.from({ length: 29 }, (_, n) => own((n + 1) * MINUTE)).reverse(), known).wait).toBe(0);
  });

  test('asks for something else without a wait', () => {
    expect(ask([own(SECOND, 'confirm')], { ...known, purpose: 'reset' }).wait).toBe(0);
  });

  test('has thirty a day that it does not answer', () => {
    const thirty = Array.from({ length: 30 }, (_, n) => own((n + 1) * MINUTE));
    expect(ask(thirty, known).wait).toBe(DAY - 30 * MINUTE);
    expect(ask(thirty.slice(1), known)).toMatchObject({ wait: 0, next: DAY - 30 * MINUTE });
  });
});

describe('a source that is not known', () => {
  test('alone may ask once more after 30 seconds, and then the next day', () => {
    expect(ask([])).toEqual({ wait: 0, bits: null, next: 30 * SECOND });
    expect(ask([stranger('mine', 20 * SECOND)]).wait).toBe(10 * SECOND);
    expect(ask([stranger('mine', MINUTE)])).toEqual({ wait: 0, bits: null, next: DAY - MINUTE });
    expect(ask([stranger('mine', 0), stranger('mine', MINUTE)]).wait).toBe(DAY - MINUTE);
  });

  test('is alone beside the known devices of the person', () => {
    expect(ask([own(0), stranger('mine', MINUTE)]).wait).toBe(0);
  });

  test('asks for something else without a wait, but all counts together', () => {
    expect(ask([stranger('mine', 0, 'confirm')], { purpose: 'reset' }).wait).toBe(0);
    expect(ask([stranger('mine', 0, 'confirm'), stranger('mine', 0)], { purpose: 'reset' }).wait).toBe(DAY);
  });

  test('beside others has one a day', () => {
    expect(ask([stranger('other', HOUR)])).toEqual({ wait: 0, bits: null, next: DAY });
    expect(ask([stranger('other', 0), stranger('mine', HOUR)]).wait).toBe(DAY - HOUR);
  });

  test.each([
    [9, null],
    [10, 18],
    [19, 18],
    [20, 19],
    [30, 20],
    [40, 21],
    [49, 21],
  ])('after %i others costs work of %s bits', (count, bits) => {
    expect(ask(strangers(count))).toEqual({ wait: 0, bits, next: DAY });
  });

  test('after fifty others waits for a quarter of an hour since the last at most, and works most', () => {
    expect(ask(strangers(50, HOUR))).toMatchObject({ wait: 0, bits: 22 });
    expect(ask([stranger('other', 5 * MINUTE), ...strangers(60)])).toMatchObject({ wait: 10 * MINUTE, bits: 22 });
  });
});
