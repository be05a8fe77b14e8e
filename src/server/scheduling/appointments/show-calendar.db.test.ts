import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf, ROWAN } from '#dev/testing/scheduling.ts';
import { newId } from '#server/core/ids.ts';
import { addDays } from '#server/core/zone.ts';
import { showTimeOff } from '../availability/show-time-off.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { cancelAppointment } from '../booking/cancel-appointment.ts';
import { showCalendar } from './show-calendar.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { firstName: 'Ada' });
});
afterAll(() => clinic.stop());

const nurse = () => asPractitioner(clinic.services, clinic.tenant);
const HOUR_MS = 3_600_000;

test('returns the appointments of the range with patient names and whether they have a note', async () => {
  const day = clinic.nextDay();
  const [slot, next] = await clinic.free(day, ROWAN);
  const [appointment, canceled] = await Promise.all([
    bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN })),
    bookAppointment(clinic.app(), clinic.wish(next!.from_date, { calendar_id: ROWAN })),
  ]);
  await cancelAppointment(clinic.app(), { id: canceled.id });
  const range = { from_date: appointment.from_date, to_date: new Date(Date.parse(canceled.to_date) + 1).toISOString() };
  const shown = await showCalendar(nurse(), range);
  expect(shown).toMatchObject({ held: [], more: false });
  expect(shown.items).toMatchObject([
    { id: appointment.id, patient_name: 'Ada Example', has_note: false, calendar_id: ROWAN },
  ]);
  expect(shown.items[0]).toMatchObject({
    from_date: appointment.from_date,
    video_call_url: appointment.video_call_url,
  });
  const before = new Date(Date.parse(appointment.from_date) - HOUR_MS).toISOString();
  expect((await showCalendar(nurse(), { from_date: before, to_date: appointment.from_date })).items).toEqual([]);
});

test('requires a staff user and limits the range', async () => {
  expect(await errorOf(showCalendar(asPatient(clinic.services, clinic.tenant, clinic.patientId), {}))).toMatchObject({
    code: 'forbidden',
  });
  const from_date = '2026-01-01T00:00:00Z';
  expect(await errorOf(showCalendar(nurse(), { from_date, to_date: '2026-03-01T00:00:00Z' }))).toMatchObject({
    code: 'range_too_long',
  });
  expect(await errorOf(showCalendar(nurse(), { from_date, to_date: '2025-12-01T00:00:00Z' }))).toMatchObject({
    code: 'invalid_parameter',
  });
});

test('returns time off from the provider', async () => {
  const day = clinic.nextDay();
  const [slot] = await clinic.free(day, ROWAN);
  const start = slot!.from_date;
  const end = new Date(Date.parse(start) + HOUR_MS).toISOString();
  await clinic.acuity.console('POST', '/blocks', { start, end, calendarID: ROWAN, notes: '' });
  const off = await showTimeOff(nurse(), { from_date: day, to_date: addDays(day, 1) });
  expect(off).toContainEqual({
    calendar_id: ROWAN,
    from_date: new Date(start).toISOString(),
    to_date: end,
  });
  // The day after, which begins earlier for readers in other zones.
  const next = { from_date: addDays(day, 1), to_date: addDays(day, 1) };
  expect((await showTimeOff(nurse(), next)).map(({ to_date }) => to_date)).toContain(end);
  expect(await errorOf(showTimeOff(nurse(), { from_date: day, to_date: addDays(day, 60) }))).toMatchObject({
    code: 'range_too_long',
  });
});

test("returns each occurrence of recurring time off in the calendar's time zone", async () => {
  const base = { id: 1, calendarId: ROWAN, notes: '', recurring: 'weekly' as const, until: '2036-11-10' };
  const [startAt, endAt] = ['2036-01-07T17:00:00Z', '2036-01-07T18:00:00Z'].map(Date.parse) as [number, number];
  clinic.acuity.blocks().push({ ...base, startAt, endAt });
  const off = await showTimeOff(nurse(), { from_date: '2036-10-24', to_date: '2036-11-30' });
  clinic.acuity.blocks().pop();
  expect(off.filter(({ calendar_id }) => calendar_id === ROWAN).map(({ from_date }) => from_date)).toEqual([
    '2036-10-27T16:00:00.000Z',
    '2036-11-03T17:00:00.000Z',
    '2036-11-10T17:00:00.000Z',
  ]);
});

test('returns all time off when it exceeds one provider response', async () => {
  const first = Date.parse('2037-03-02T15:00:00Z');
  const many = Array.from({ length: 900 }, (_, index) => ({
    ...{ id: index + 1, calendarId: ROWAN, notes: '', recurring: null, until: null },
    startAt: first + (index % 30) * 24 * HOUR_MS + index * 1000,
    // The first lasts for weeks, so it is in the response of each half.
    endAt: first + (index === 0 ? 960 : (index % 30) * 24 + 1) * HOUR_MS,
  }));
  clinic.acuity.blocks().push(...many);
  const off = await showTimeOff(nurse(), { from_date: '2037-03-01', to_date: '2037-04-10' });
  clinic.acuity.blocks().splice(-many.length);
  expect(off).toHaveLength(many.length);
});

test('returns all appointments of a month with 2,000', async () => {
  const { tenantId, db } = clinic.ctx;
  const from = Date.parse('2031-03-01T00:00:00Z');
  await db.appointment.createMany({
    data: Array.from({ length: 2000 }, (_, count) => {
      const startAt = new Date(from + count * 20 * 60_000);
      return {
        ...{ id: newId(), tenantId, patientId: clinic.patientId, appointmentTypeId: 1, appointmentType: 'Visit' },
        ...{ calendarId: ROWAN, calendar: 'Rowan Example', timeZone: 'UTC', videoToken: newId(), status: 'scheduled' },
        ...{ startAt, endAt: new Date(startAt.getTime() + 20 * 60_000) },
      };
    }),
  });
  const shown = await showCalendar(nurse(), { from_date: '2031-03-01T00:00:00Z', to_date: '2031-04-01T00:00:00Z' });
  expect([shown.items.length, shown.more]).toEqual([2000, false]);
});
