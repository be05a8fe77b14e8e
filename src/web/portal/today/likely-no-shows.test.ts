import { expect, test } from 'vitest';
import { AttendanceInput, type AttendanceView } from '#contract/visits.ts';
import { lateAppointmentIds, likelyNoShows } from './likely-no-shows.ts';

const NOW = Date.parse('2027-03-01T15:00:00Z');
const begun = (id: string, minutes: number) => ({ id, from_date: new Date(NOW - minutes * 60_000).toISOString() });

test('selects appointments that are a quarter of an hour late', () => {
  expect(lateAppointmentIds([begun('a', 60), begun('b', 16), begun('c', 15), begun('d', -5)], NOW)).toEqual(['a', 'b']);
});

test('selects the latest appointments when there are more than one request takes', () => {
  const many = Array.from({ length: 201 }, (_, n) =>
    begun(`00000000-0000-7000-8000-${String(n).padStart(12, '0')}`, 300 - n),
  );
  const ids = lateAppointmentIds(many, NOW);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([200, many[1]!.id, many[200]!.id]);
  expect(AttendanceInput.safeParse({ ids }).success).toBe(true);
});

test('counts a patient as missing only where clinic staff attended', () => {
  const attendance = (appointment_id: string, patient_came: boolean, looks_like_no_show: boolean): AttendanceView => ({
    ...{ appointment_id, patient_id: 'p', patient_came, staff_came: true, looks_like_no_show },
  });
  expect([
    ...likelyNoShows([attendance('a', false, true), attendance('b', true, false), attendance('c', false, false)]),
  ]).toEqual(['a']);
});
