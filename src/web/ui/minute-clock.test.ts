import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localDate } from './format-time.ts';
import { createMinuteClock, currentMinute } from './minute-clock.ts';

const at = (time: string) => Date.parse(`2027-03-01T${time}Z`);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Subscribes at this time, and records the time of each update. */
function watchFrom(time: string) {
  vi.setSystemTime(at(time));
  const clock = createMinuteClock();
  const updates: string[] = [];
  const stop = clock.subscribe(() => updates.push(new Date().toISOString().slice(11, 19)));
  return { clock, updates, stop };
}

test('updates at each full minute, not a minute after the start', () => {
  const { updates } = watchFrom('08:55:40');
  vi.advanceTimersByTime(19_999);
  expect(updates).toEqual([]);
  vi.advanceTimersByTime(120_001);
  expect(updates).toEqual(['08:56:00', '08:57:00', '08:58:00']);
});

test('the time changes with an update only', () => {
  const { updates } = watchFrom('08:55:40');
  vi.advanceTimersByTime(19_000);
  expect(currentMinute()).toBe(at('08:55:00'));
  vi.advanceTimersByTime(1_000);
  expect([currentMinute(), updates.length]).toEqual([at('08:56:00'), 1]);
});

test.each([
  ['America/Los_Angeles', '2027-03-01T07:59:50Z', ['2027-02-28', '2027-03-01']],
  ['America/New_York', '2027-03-14T04:59:50Z', ['2027-03-13', '2027-03-14']],
  ['Asia/Kathmandu', '2027-03-01T18:14:50Z', ['2027-03-01', '2027-03-02']],
  ['Pacific/Auckland', '2027-03-01T10:59:50Z', ['2027-03-01', '2027-03-02']],
])('updates at midnight in %s', (zone, start, days) => {
  vi.setSystemTime(start);
  const seen = [localDate(new Date(currentMinute()), zone)];
  createMinuteClock().subscribe(() => seen.push(localDate(new Date(currentMinute()), zone)));
  vi.advanceTimersByTime(10_000);
  expect(seen).toEqual(days);
});

test('is right within ten seconds after the computer slept, also without any event', () => {
  const { updates } = watchFrom('08:55:10');
  // The time goes on while the timer stands still.
  vi.setSystemTime(at('13:20:30'));
  vi.advanceTimersByTime(10_000);
  expect(updates).toEqual(['13:20:40']);
  vi.advanceTimersByTime(20_000);
  expect(updates).toEqual(['13:20:40', '13:21:00']);
});

test.each([
  ['visibilitychange', () => document],
  ['pageshow', () => window],
  ['focus', () => window],
])('catches up on %s, as after a while in the background', (event, target) => {
  const { updates } = watchFrom('08:55:10');
  vi.setSystemTime(at('09:15:05'));
  target().dispatchEvent(new Event(event));
  expect(updates).toEqual(['09:15:05']);
  target().dispatchEvent(new Event(event));
  expect(updates).toHaveLength(1);
  vi.advanceTimersByTime(55_000);
  expect(updates).toEqual(['09:15:05', '09:16:00']);
});

test('follows a clock that is set back', () => {
  const { updates } = watchFrom('08:55:10');
  vi.setSystemTime(at('07:55:10'));
  vi.advanceTimersByTime(10_000);
  expect(updates).toEqual(['07:55:20']);
});

test('has one timer for any number of subscribers', () => {
  const { clock, stop } = watchFrom('08:55:40');
  const others = Array.from({ length: 50 }, () => vi.fn());
  const stops = others.map((other) => clock.subscribe(other));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(20_000);
  for (const other of others) expect(other).toHaveBeenCalledOnce();
  stop();
  for (const stopOther of stops.slice(1)) stopOther();
  expect(vi.getTimerCount()).toBe(1);
});

test('does nothing before the first subscriber and after the last, and starts again', () => {
  const { clock, updates, stop } = watchFrom('08:55:40');
  stop();
  stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.setSystemTime(at('09:15:05'));
  window.dispatchEvent(new Event('focus'));
  expect(updates).toEqual([]);
  const update = vi.fn();
  clock.subscribe(update);
  expect(update).not.toHaveBeenCalled();
  vi.advanceTimersByTime(55_000);
  expect(update).toHaveBeenCalledOnce();
});
