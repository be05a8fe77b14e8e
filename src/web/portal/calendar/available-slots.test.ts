import { expect, test } from 'vitest';
import { type AvailableSlot, mergeSlots, nearestSlots, slotAt } from './available-slots.ts';

const MINUTE = 60_000;
const free = (calendarId: number, minute: number, length = 30): AvailableSlot => ({
  calendarId,
  at: minute * MINUTE,
  until: (minute + length) * MINUTE,
  fromDate: `${calendarId}/${minute}`,
});

test('merges overlapping and adjacent slots, separately for each calendar', () => {
  const times = [free(1, 0), free(1, 15), free(2, 15), free(1, 45), free(1, 120)];
  expect(mergeSlots(times)).toEqual([
    { calendarId: 1, from: 0, until: 75 * MINUTE },
    { calendarId: 2, from: 15 * MINUTE, until: 45 * MINUTE },
    { calendarId: 1, from: 120 * MINUTE, until: 150 * MINUTE },
  ]);
});

test('maps a press to the last slot that has begun by then', () => {
  const times = [free(1, 0), free(1, 15), free(2, 20)];
  expect(slotAt(times, 1, 20 * MINUTE)?.fromDate).toBe('1/15');
  expect(slotAt(times, 1, 10 * MINUTE)?.fromDate).toBe('1/0');
  expect(slotAt(times, 1, 60 * MINUTE)).toBeNull();
  expect(slotAt(times, 3, 20 * MINUTE)).toBeNull();
});

test('returns the nearest slots of the same calendar, in order', () => {
  const times = [free(1, 0), free(1, 60), free(1, 90), free(1, 300), free(2, 61)];
  expect(nearestSlots(times, 1, 70 * MINUTE, 2).map(({ fromDate }) => fromDate)).toEqual(['1/60', '1/90']);
});
