import { expect, test } from 'vitest';
import { type Slot, slotsByDay } from './slot-picker.tsx';

const NEW_YORK = 'America/New_York';
const slot = (from_date: string, calendar_id = 1): Slot => ({ from_date, calendar_id, time_zone: NEW_YORK });

test('groups slots by local day and part of the day, in order', () => {
  const days = slotsByDay(
    [
      slot('2026-11-23T18:00:00-05:00'),
      slot('2026-11-23T09:30:00-05:00'),
      slot('2026-11-23T09:00:00-05:00'),
      slot('2026-11-24T12:00:00-05:00'),
    ],
    '2026-11-23',
    NEW_YORK,
  );
  expect(days.map((day) => day.count)).toEqual([3, 1, 0, 0, 0, 0, 0]);
  expect(days[0]?.parts.get('Morning')?.map((time) => time.fromDate.slice(11, 16))).toEqual(['09:00', '09:30']);
  expect([...(days[0]?.parts.keys() ?? [])]).toEqual(['Morning', 'Evening']);
  expect([...(days[1]?.parts.keys() ?? [])]).toEqual(['Afternoon']);
});

test('merges a time that two calendars offer', () => {
  const [day] = slotsByDay(
    [slot('2026-11-23T09:00:00-05:00', 1), slot('2026-11-23T14:00:00Z', 2)],
    '2026-11-23',
    NEW_YORK,
  );
  expect(day?.parts.get('Morning')).toEqual([{ fromDate: '2026-11-23T09:00:00-05:00' }]);
});

test('shows the current time among the slots without counting it as available', () => {
  const current = '2026-11-23T10:00:00-05:00';
  const [day, next] = slotsByDay([slot('2026-11-23T09:00:00-05:00')], '2026-11-23', NEW_YORK, { current });
  expect(day?.count).toBe(1);
  expect(day?.parts.get('Morning')).toEqual([
    { fromDate: '2026-11-23T09:00:00-05:00' },
    { fromDate: current, isCurrent: true },
  ]);
  expect(next?.parts.size).toBe(0);
});

test('keeps a chosen time that is gone, without counting it, until it is free again', () => {
  const gone = '2026-11-23T10:00:00-05:00';
  const [day] = slotsByDay([slot('2026-11-23T09:00:00-05:00')], '2026-11-23', NEW_YORK, { gone });
  expect(day?.count).toBe(1);
  expect(day?.parts.get('Morning')).toEqual([
    { fromDate: '2026-11-23T09:00:00-05:00' },
    { fromDate: gone, isGone: true },
  ]);
});

test('drops a slot outside the seven days', () => {
  expect(slotsByDay([slot('2026-11-30T09:00:00-05:00')], '2026-11-23', NEW_YORK).every((day) => day.count === 0)).toBe(
    true,
  );
});
