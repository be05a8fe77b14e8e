import { expect, test } from 'vitest';
import { formerCalendars, timeZoneMessage } from './calendars.ts';

const appointment = (calendar_id: number, calendar: string) => ({
  ...{ calendar_id, calendar, time_zone: 'America/Chicago', practitioner_id: null },
});

const rowan = { id: 11, name: 'Rowan' };
const hazel = { id: 13, name: 'Hazel' };

test('adds one column for each calendar that Acuity does not offer', () => {
  const appointments = [
    appointment(14, 'Hazel'),
    appointment(11, 'Rowan'),
    appointment(12, 'Alder'),
    appointment(14, 'Hazel'),
  ];
  expect(formerCalendars(appointments, [rowan, hazel])).toEqual([
    {
      ...{ id: 12, calendar_id: 12, name: 'Alder', time_zone: 'America/Chicago' },
      ...{ practitioner_id: null, appointment_type_ids: [] },
    },
    // Another calendar with this name is offered.
    expect.objectContaining({ id: 14, name: 'Hazel (former)' }),
  ]);
  expect(formerCalendars(appointments.slice(1, 2), [rowan])).toEqual([]);
  // Acuity is not connected.
  expect(formerCalendars(appointments, []).map(({ id }) => id)).toEqual([11, 12, 14]);
});

const calendar = (name: string, time_zone: string) => ({ name, time_zone });
const ROWAN = calendar('Rowan', 'America/New_York');
const ALDER = calendar('Alder', 'America/Chicago');
const BIRCH = calendar('Birch', 'America/Denver');
const message = (...calendars: (typeof ROWAN)[]) =>
  timeZoneMessage(calendars, 'America/New_York', '2026-11-23T12:00:00Z').replace(
    'Times are on your clock (New York)',
    '…',
  );

test('names the calendars that use another time zone', () => {
  expect(message(ROWAN, calendar('Hazel', 'America/Toronto'))).toBe('….');
  expect(message(ROWAN, ALDER)).toBe('…; the calendar of Alder is kept in Chicago.');
  expect(message(ROWAN, ALDER, BIRCH)).toBe('…; some calendars are kept in Chicago, Denver.');
  expect(message(ALDER, BIRCH)).toBe('…; calendars are kept in Chicago, Denver.');
});
