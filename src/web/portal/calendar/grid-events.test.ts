import { expect, test } from 'vitest';
import type { CalendarAppointment } from '#contract/calendar.ts';
import { gridEvents } from './grid-events.ts';

const MINUTE = 60_000;
const at = (hour: number) => new Date(2026, 10, 24, hour).toISOString();
const appointment = (calendar_id: number) =>
  ({
    id: `appointment-${calendar_id}`,
    calendar_id,
    status: 'scheduled',
    from_date: at(9),
    to_date: at(10),
    appointment_type_id: 1,
  }) as CalendarAppointment;
const held = (calendar_id: number) => ({
  ...{ id: `held-${calendar_id}`, calendar_id, from_date: at(11), to_date: at(12), appointment_type: 'Follow-up' },
});

test('leaves out calendars that are not chosen, in every view', () => {
  const drawn = gridEvents({
    appointments: { items: [appointment(1), appointment(2)], held: [held(1), held(2)], more: false } as never,
    times: [1, 2].map((calendarId) => ({ calendarId, at: 0, until: MINUTE, fromDate: '' })),
    off: [1, 2].map((calendar_id) => ({ calendar_id, from_date: at(13), to_date: at(14) })) as never,
    types: [],
    hiddenCalendars: [{ id: 1 }],
    now: Date.parse(at(8)),
  });
  expect(drawn.map(({ id, resourceId }) => [String(id).split('-')[0], resourceId])).toEqual([
    ['free', 2],
    ['off', 2],
    ['appointment', 2],
    ['held', 2],
  ]);
});
