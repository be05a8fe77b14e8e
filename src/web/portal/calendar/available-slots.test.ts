import { expect, test } from 'vitest';
import { type AvailableSlot, mergeSlots, nearestSlots, slotAt, validateDrop } from './available-slots.ts';

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

test('maps a pressed time to the last slot that has begun by then', () => {
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

const HOUR = 3_600_000;
const at = (hour: number) => Date.parse('2026-11-24T00:00:00Z') + hour * HOUR;
const appointment = {
  id: 'a',
  patient_id: 'b',
  appointment_type_id: 1,
  appointment_type: 'Follow-up',
  calendar_id: 7,
  calendar: 'Dr. Sam Sample',
  from_date: '2026-11-24T10:00:00Z',
  to_date: '2026-11-24T10:30:00Z',
  time_zone: 'UTC',
  status: 'scheduled' as const,
  scheduling_issue: null,
  ...{ checked_in_at: null, completed_at: null, canceled_at: null },
  video_call_url: 'https://care.example.test/visit/a',
};
const now = at(9);
const offered = (hour: number, calendarId = 7) => ({
  calendarId,
  at: at(hour),
  until: at(hour + 0.5),
  fromDate: new Date(at(hour)).toISOString(),
});
const times = [offered(11), offered(12), offered(14), offered(15), offered(13, 8)];
const kindOf = (hour: number, calendarId = 7, loaded: typeof times | null = times) =>
  validateDrop({ appointment, calendarId, at: at(hour), now }, loaded ?? undefined).kind;

test('allows rescheduling only to an offered slot, also of another practitioner', () => {
  expect(kindOf(11)).toBe('offered');
  expect(kindOf(13, 8)).toBe('offered');
  expect(kindOf(10, 8)).toBe('not_offered');
  expect(kindOf(8)).toBe('past');
  expect(kindOf(10)).toBe('same');
  expect(kindOf(11, 7, null)).toBe('unknown');
});

test('returns the nearest slots when the slot is not offered', () => {
  const verdict = validateDrop({ appointment, calendarId: 7, at: at(13), now }, times);
  expect(verdict).toMatchObject({ kind: 'not_offered', nearest: [offered(11), offered(12), offered(14)] });
});

test('leaves slots that only the appointment itself blocks to the server', () => {
  expect(kindOf(10.25)).toBe('unknown');
  expect(kindOf(9.75)).toBe('unknown');
  expect(kindOf(10.5)).toBe('not_offered');
});
