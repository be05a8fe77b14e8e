import { expect, test } from 'vitest';
import { formerCalendars } from './former-calendars.ts';

const visit = (calendar_id: number, calendar: string) => ({
  ...{ calendar_id, calendar, time_zone: 'America/Chicago', practitioner_id: null },
});

const rowan = { id: 11, name: 'Rowan' };
const hazel = { id: 13, name: 'Hazel' };

test('adds one column for each calendar that Acuity does not offer', () => {
  const visits = [visit(14, 'Hazel'), visit(11, 'Rowan'), visit(12, 'Alder'), visit(14, 'Hazel')];
  expect(formerCalendars(visits, [rowan, hazel])).toEqual([
    {
      ...{ id: 12, calendar_id: 12, name: 'Alder', time_zone: 'America/Chicago' },
      ...{ practitioner_id: null, appointment_type_ids: [] },
    },
    // Another calendar with this name is offered.
    expect.objectContaining({ id: 14, name: 'Hazel (former)' }),
  ]);
  expect(formerCalendars(visits.slice(1, 2), [rowan])).toEqual([]);
  // Acuity is not connected.
  expect(formerCalendars(visits, []).map(({ id }) => id)).toEqual([11, 12, 14]);
});
