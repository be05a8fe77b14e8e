import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, asPatient } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, errorOf, LONG_APPOINTMENT, ROWAN, SECOND_ACCOUNT } from '#dev/testing/scheduling.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { disconnectAcuity } from '#server/integrations/router.ts';
import { invalidateCatalogue } from '#server/integrations/scheduling-account.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { rescheduleAppointment } from '../booking/reschedule-appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { exportAppointments } from './export-appointments.ts';
import { getAppointment } from './get-appointment.ts';
import { listAppointments } from './list-appointments.ts';
import { showAppointment } from './show-appointment.ts';
import { showCalendar } from './show-calendar.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic?.stop());

const admin = () => asAdmin(clinic.services, clinic.tenant);
async function book(calendar_id: number, appointment_type_id?: number) {
  const [slot] = await clinic.free(clinic.nextDay(), calendar_id, appointment_type_id);
  return bookAppointment(
    clinic.app(),
    clinic.wish(slot!.from_date, { calendar_id, ...(appointment_type_id && { appointment_type_id }) }),
  );
}
/** Reads the issue from the list, the resource, the portal page and the calendar. */
async function readsOf(id: string) {
  const listed = (await listAppointments(clinic.app(), {})).items.find((item) => item.id === id);
  const own = await getAppointment(asPatient(clinic.services, clinic.tenant, clinic.patientId), { id });
  const { visit, cannot_move } = await showAppointment(admin(), { id });
  const drawn = (await showCalendar(admin(), {})).items.find((item) => item.id === id);
  const issues = [listed, own, visit, ...(drawn ? [drawn] : [])].map((view) => view?.scheduling_issue);
  expect(new Set(issues).size).toBe(1);
  return { issue: issues[0], cannot_move };
}
type Issues = NonNullable<Parameters<typeof listAppointments>[1]['scheduling_issue']>;
const withIssue = async (...scheduling_issue: Issues) =>
  (await listAppointments(clinic.app(), { scheduling_issue, sort_by: 'from_date' })).items.map(({ id }) => id);
async function exported(...scheduling_issue: Issues): Promise<string> {
  let text = '';
  for await (const part of await exportAppointments(admin(), { scheduling_issue })) text += part;
  return text;
}
/** Reads the catalogue again after a change in Acuity. */
async function reloadCatalogue() {
  await invalidateCatalogue(clinic.ctx);
  await getCatalogue(clinic.ctx);
}

test('returns why a booked appointment cannot be rescheduled, and filters by it', async () => {
  const [plain, onAlder, long] = [await book(ROWAN), await book(ALDER), await book(ROWAN, LONG_APPOINTMENT)];
  expect(await readsOf(plain.id)).toEqual({ issue: null, cannot_move: null });

  clinic.acuity.calendars().splice(1, 1);
  clinic.acuity.types().splice(1, 1);
  await reloadCatalogue();
  expect(await readsOf(plain.id)).toEqual({ issue: null, cannot_move: null });
  const removed = await readsOf(onAlder.id);
  expect(removed).toEqual({ issue: 'calendar_removed', cannot_move: expect.stringContaining('calendar is not in') });
  // Only the type is removed: the calendar exists, so only the page shows the reason.
  const withoutType = await readsOf(long.id);
  expect(withoutType).toEqual({ issue: null, cannot_move: expect.stringContaining('Cancel it and book another') });
  const error = await errorOf(rescheduleAppointment(clinic.app(), { id: long.id, from_date: plain.from_date }));
  expect(error).toMatchObject({ code: 'not_reschedulable', detail: withoutType.cannot_move });
  expect(await withIssue('calendar_removed')).toEqual([onAlder.id]);
  expect(await withIssue('former_account', 'not_connected')).toEqual([]);
  expect(await listAppointments(clinic.app(), { calendar_id: ALDER })).toMatchObject({ items: [{ id: onAlder.id }] });
  expect(await exported('calendar_removed')).toContain(onAlder.id);
  expect(await exported('calendar_removed')).not.toContain(plain.id);

  // An appointment that is over has no issue.
  const past = { startAt: new Date(Date.now() - 7_200_000), endAt: new Date(Date.now() - 3_600_000) };
  await clinic.ctx.db.appointment.updateMany({ where: { id: onAlder.id }, data: past });
  expect(await readsOf(onAlder.id)).toEqual({ issue: null, cannot_move: null });
  expect(await withIssue('calendar_removed')).toEqual([]);

  expect((await showCalendar(admin(), {})).items.map(({ id }) => id)).toEqual([plain.id, long.id]);
  // Also after the last calendar: an empty list differs from an unknown one.
  const calendars = clinic.acuity.calendars().splice(0);
  await reloadCatalogue();
  expect(await withIssue('calendar_removed')).toEqual([plain.id, long.id]);
  expect((await readsOf(plain.id)).issue).toBe('calendar_removed');
  clinic.acuity.calendars().push(...calendars);
  await reloadCatalogue();
  await disconnectAcuity(admin(), { account_id: clinic.acuity.account.user_id });
  expect(await readsOf(plain.id)).toEqual({
    issue: 'not_connected',
    cannot_move: expect.stringContaining('Move the appointment in Acuity itself'),
  });
  expect(await showCalendar(admin(), {})).toMatchObject({
    connection: 'disconnected',
    items: [{ id: plain.id }, { id: long.id }],
  });
  expect(await withIssue('not_connected', 'former_account')).toEqual([plain.id, long.id]);
  expect(await withIssue('former_account')).toEqual([]);

  await clinic.acuity.secondAccount();
  await connectAcuity(admin(), SECOND_ACCOUNT);
  for (const { id } of [plain, long])
    expect(await readsOf(id)).toEqual({ issue: 'former_account', cannot_move: expect.stringContaining('account') });
  expect(await withIssue('former_account', 'calendar_removed')).toEqual([plain.id, long.id]);
  expect(await withIssue('calendar_removed', 'not_connected')).toEqual([]);
});
