import { expect, test } from 'vitest';
import { validateDrop } from './validate-drop.ts';

const HOUR = 3_600_000;
const at = (hour: number) => Date.parse('2026-11-24T00:00:00Z') + hour * HOUR;
const visit = {
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
  video_call_url: 'https://care.example.test/visit/a',
};
const now = at(9);
const free = (hour: number, calendarId = 7) => ({
  calendarId,
  at: at(hour),
  until: at(hour + 0.5),
  fromDate: new Date(at(hour)).toISOString(),
});
const times = [free(11), free(12), free(14), free(15), free(13, 8)];
const kindOf = (hour: number, calendarId = 7, known: typeof times | null = times) =>
  validateDrop({ visit, calendarId, at: at(hour), now }, known ?? undefined).kind;

test('allows a move only to an offered slot of the same practitioner', () => {
  expect(kindOf(11)).toBe('offered');
  expect(kindOf(13, 8)).toBe('other_practitioner');
  expect(kindOf(8)).toBe('past');
  expect(kindOf(10)).toBe('same');
  expect(kindOf(11, 7, null)).toBe('unknown');
});

test('returns the nearest slots when the slot is gone', () => {
  const verdict = validateDrop({ visit, calendarId: 7, at: at(13), now }, times);
  expect(verdict).toMatchObject({ kind: 'not_offered', nearby: [free(11), free(12), free(14)] });
});

test('leaves slots that only the appointment itself blocks to the server', () => {
  expect(kindOf(10.25)).toBe('unknown');
  expect(kindOf(9.75)).toBe('unknown');
  expect(kindOf(10.5)).toBe('not_offered');
});
