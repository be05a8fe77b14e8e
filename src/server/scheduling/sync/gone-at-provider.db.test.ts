import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { differencesToAcuity } from '#dev/testing/invariants/acuity-truth.ts';
import { compareFor } from '#dev/testing/reconciling.ts';
import { ALDER, claimsOf, errorOf, LONG_APPOINTMENT, ROWAN, SECOND_ACCOUNT } from '#dev/testing/scheduling.ts';
import { checkAcuity } from '#server/integrations/check-integration.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { getAcuityIntegration } from '#server/integrations/list-integrations.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { cancelAppointment } from '../booking/cancel-appointment.ts';
import { rescheduleAppointment } from '../booking/reschedule-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
});
afterAll(() => clinic?.stop());

const timesOn = async (day: string) => (await clinic.free(day, ROWAN)).map(({ from_date }) => from_date);
const book = (from_date: string) => bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id: ROWAN }));
const remove = (id: number) => {
  const books = clinic.acuity.booked();
  books.splice(
    books.findIndex((one) => one.id === id),
    1,
  );
};

describe('an appointment that is gone at Acuity', () => {
  test('is canceled by one local cancellation', async () => {
    const [time] = await timesOn(clinic.nextDay());
    const appointment = await book(time!);
    remove(appointment.provider_appointment_id!);
    expect(await cancelAppointment(clinic.app(), { id: appointment.id })).toMatchObject({ status: 'canceled' });
    expect(await claimsOf(clinic.ctx, appointment.id)).toEqual([]);
  });

  test('cannot be rescheduled, and is canceled with the reason', async () => {
    const [time, other] = await timesOn(clinic.nextDay());
    const appointment = await book(time!);
    remove(appointment.provider_appointment_id!);
    const rejection = await errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: other! }));
    expect(rejection.code).toBe('not_reschedulable');
    expect(await getAppointment(clinic.app(), { id: appointment.id })).toMatchObject({
      status: 'canceled',
      canceled_because: 'gone_at_provider',
    });
  });
});

describe('a type or a calendar removed at Acuity', () => {
  test('offers no slots and returns invalid_parameter, while its appointments can be canceled', async () => {
    const day = clinic.nextDay();
    const [time, other] = await timesOn(day);
    const remaining = await book(time!);
    await clinic.free(day, ROWAN, LONG_APPOINTMENT);
    const before = clinic.acuity.types().splice(0, 1);
    // Acuity's error causes a fresh read of the types, so that no minute of failures follows.
    const unknownDay = clinic.nextDay();
    const first = await clinic.free(unknownDay, ROWAN).catch((error: { faults: { code: string }[] }) => error.faults);
    expect(first.map((one) => ('code' in one ? one.code : one))).toEqual(
      first.length === 0 ? [] : ['invalid_parameter'],
    );
    expect((await errorOf(clinic.free(clinic.nextDay(), ROWAN))).code).toBe('invalid_parameter');
    expect((await errorOf(book(other!))).code).toBe('invalid_parameter');
    expect((await errorOf(rescheduleAppointment(clinic.app(), { id: remaining.id, from_date: other! }))).code).toBe(
      'not_reschedulable',
    );
    expect(await cancelAppointment(clinic.app(), { id: remaining.id })).toMatchObject({ status: 'canceled' });
    clinic.acuity.types().unshift(...before);
  });

  test('in another time zone: the appointment keeps its zone, even with a stale catalogue', async () => {
    clinic.services.catalogues.clear();
    await clinic.ctx.db.providerSnapshot.deleteMany();
    const [slot] = await clinic.free(clinic.nextDay(), ALDER);
    const remaining = await bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ALDER }));
    const at = clinic.acuity.calendars().findIndex(({ id }) => id === ALDER);
    const [removed] = clinic.acuity.calendars().splice(at, 1);
    const view = await getAcuityIntegration(asAdmin(clinic.services, clinic.tenant));
    expect(view.findings).not.toContainEqual(expect.objectContaining({ code: 'visits_without_calendar' }));
    const { findings } = await checkAcuity(asAdmin(clinic.services, clinic.tenant));
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'visits_without_calendar',
        message: expect.stringContaining(
          'One appointment to come is on a calendar that Acuity has no more (Alder Example)',
        ),
        object: { type: 'Calendar', id: String(ALDER), name: 'Alder Example' },
        link: { label: 'Open Appointments', url: `/appointments?with=${ALDER}` },
      }),
    );
    clinic.acuity.calendars().splice(at, 0, removed!);
    await clinic.free(clinic.nextDay(), ALDER);
    clinic.acuity.calendars().splice(at, 1);
    expect(await cancelAppointment(clinic.app(), { id: remaining.id })).toMatchObject({
      status: 'canceled',
      from_date: remaining.from_date,
      time_zone: 'America/Chicago',
    });
    clinic.acuity.calendars().splice(at, 0, removed!);
    expect((await checkAcuity(asAdmin(clinic.services, clinic.tenant))).findings).not.toContainEqual(
      expect.objectContaining({ code: 'visits_without_calendar' }),
    );
  });

  test("leaves the appointment with its calendar's name, and it can be canceled", async () => {
    clinic.services.catalogues.clear();
    await clinic.ctx.db.providerSnapshot.deleteMany();
    const [time] = await timesOn(clinic.nextDay());
    const remaining = await book(time!);
    const before = clinic.acuity.calendars().splice(0, 1);
    await compareFor(clinic.services, clinic.tenant.id, { from: new Date(Date.now() + 120_000) });
    expect(await getAppointment(clinic.app(), { id: remaining.id })).toMatchObject({ calendar: 'Rowan Example' });
    await clinic.free(clinic.nextDay(), ROWAN).catch(() => []);
    expect((await errorOf(clinic.free(clinic.nextDay(), ROWAN))).code).toBe('invalid_parameter');
    expect(await cancelAppointment(clinic.app(), { id: remaining.id })).toMatchObject({
      status: 'canceled',
      calendar: 'Rowan Example',
    });
    clinic.acuity.calendars().unshift(...before);
    clinic.services.catalogues.clear();
    await clinic.ctx.db.providerSnapshot.deleteMany();
  });
});

test('appointments of a former account stay, are not looked up in the new one, end locally, and at Acuity once it is connected again', async () => {
  const admin = asAdmin(clinic.services, clinic.tenant);
  const day = clinic.nextDay();
  const [time, other, third] = await timesOn(day);
  const [former, second] = [await book(time!), await book(other!)];
  // A row from a version that supported only one account.
  await clinic.ctx.db.appointment.updateMany({ where: { id: second.id }, data: { accountId: null } });
  await clinic.acuity.secondAccount();
  await connectAcuity(admin, SECOND_ACCOUNT);
  expect(await getAcuityIntegration(admin)).toMatchObject({
    account_id: '900200',
    findings: expect.arrayContaining([
      expect.objectContaining({
        code: 'former_account',
        object: { type: 'Account', id: '900100', name: '900100' },
        link: { label: 'Open Appointments', url: '/appointments?issue=former_account' },
      }),
    ]),
  });
  await compareFor(clinic.services, clinic.tenant.id, { from: new Date() });
  const { items } = await listAppointments(clinic.app(), { period: 'upcoming' });
  expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([former.id, second.id]));
  const rejection = await errorOf(rescheduleAppointment(clinic.app(), { id: second.id, from_date: third! }));
  expect(rejection).toMatchObject({ code: 'not_reschedulable', detail: expect.stringContaining('account') });
  for (const { id } of [former, second]) {
    const view = await cancelAppointment(clinic.app(), { id, reason: 'The clinic moves.', tell_patient: false });
    expect(view).toMatchObject({
      ...{ status: 'canceled', canceled_because: 'former_account' },
      ...{ cancel_reason: 'The clinic moves.', cancel_reason_told: false },
    });
    expect(await claimsOf(clinic.ctx, id)).toEqual([]);
    const event = await clinic.ctx.db.event.findFirstOrThrow({ where: { objectId: id, eventTopic: 'canceled' } });
    expect(event.payload).toMatchObject({ canceled_because: 'former_account' });
  }
  // No call was made to the former account.
  expect(
    clinic.acuity.booked().filter(({ canceled, startAt }) => !canceled && startAt === Date.parse(time!)),
  ).toHaveLength(1);

  const moved = `/appointments/${second.provider_appointment_id}/reschedule?admin=true`;
  await clinic.acuity.console('PUT', moved, { datetime: third });

  await connectAcuity(admin, clinic.acuity.account);
  const mails = clinic.acuity.emails().length;
  expect(await timesOn(day)).not.toContain(time);
  const now = await compareFor(clinic.services, clinic.tenant.id, { from: new Date(Date.now() + 300_000) });
  expect(await differencesToAcuity(clinic.ctx, clinic.acuity.booked(), now)).toEqual([]);
  const there = ({ provider_appointment_id }: typeof former) =>
    clinic.acuity.booked().find((one) => one.id === provider_appointment_id);
  expect(there(former)).toMatchObject({ canceled: true, cancelNote: 'The clinic moves.' });
  // The patient knows the rescheduled time from Acuity's email, which must not contain a reason that they are not told.
  expect(there(second)).toMatchObject({ canceled: true, cancelNote: '' });
  const mailed = clinic.acuity.emails().slice(mails);
  expect(mailed).toMatchObject([{ kind: 'canceled', appointmentID: second.provider_appointment_id }]);
  expect(await timesOn(day)).toEqual(expect.arrayContaining([time, other, third]));
});
