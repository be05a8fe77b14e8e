import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import {
  ALDER,
  claimsOf,
  errorOf,
  FOLLOW_UP,
  JUNIPER,
  LONG_APPOINTMENT,
  makePatient,
  ROWAN,
} from '#dev/testing/scheduling.ts';
import { getAcuityAccount } from '#server/integrations/scheduling-account.ts';
import { syncAppointment } from '../sync/sync-appointment.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());

const staff = () => asPractitioner(clinic.services, clinic.tenant);

/** A patient, and the slots of a day that two calendars have free at the same time. */
async function newDay() {
  const onDay = clinic.nextDay();
  const { id } = await makePatient(clinic);
  const free = (calendar_id: number, type = FOLLOW_UP) => clinic.free(onDay, calendar_id, type);
  const [rowan, alder] = [await free(ROWAN), await free(ALDER)];
  const both = rowan
    .map(({ from_date }) => from_date)
    .filter((at) => alder.some((s) => Date.parse(s.from_date) === Date.parse(at)));
  return { patient: id, times: both, free };
}
const wish = (patient_id: string, from_date: string, calendar_id = ROWAN, more: object = {}) =>
  clinic.wish(from_date, { patient_id, calendar_id, ...more });

describe('overlapping appointments of one patient', () => {
  test('return conflict with the id of the other appointment and nothing else about it', async () => {
    const { patient, times } = await newDay();
    const { id } = await bookAppointment(clinic.app(), wish(patient, times[0]!));
    for (const ctx of [clinic.app(), asPatient(clinic.services, clinic.tenant, patient), staff()]) {
      const error = await errorOf(bookAppointment(ctx, wish(patient, times[0]!, ALDER)));
      expect(error).toEqual({
        code: 'conflict',
        detail: 'The patient already has an appointment at this time.',
        source: { pointer: '/from_date' },
        meta: { appointment_id: id },
      });
    }
    expect(await clinic.ctx.db.appointment.count({ where: { patientId: patient } })).toBe(1);
    expect((await bookAppointment(clinic.app(), wish(patient, times[1]!, ALDER))).status).toBe('scheduled');
  });

  test('return conflict when they overlap partly, but not after the other is canceled', async () => {
    const { patient, times, free } = await newDay();
    const long = (await free(ROWAN, LONG_APPOINTMENT)).find(({ from_date }) => times.includes(from_date))!;
    const first = await bookAppointment(clinic.app(), {
      ...wish(patient, long.from_date),
      appointment_type_id: LONG_APPOINTMENT,
    });
    const half = times.find((at) => Date.parse(at) === Date.parse(long.from_date) + 30 * 60_000)!;
    expect((await errorOf(bookAppointment(clinic.app(), wish(patient, half, ALDER)))).code).toBe('conflict');
    await cancelAppointment(clinic.app(), { id: first.id });
    expect((await bookAppointment(clinic.app(), wish(patient, half, ALDER))).status).toBe('scheduled');
  });

  test('with many concurrent requests: one is booked', async () => {
    const { patient, times } = await newDay();
    const tries = [ROWAN, ALDER, ROWAN, ALDER, ROWAN, ALDER].map((calendar, n) =>
      bookAppointment(clinic.app(), wish(patient, times[0]!, calendar, { metadata: { n } })).catch(() => null),
    );
    expect((await Promise.all(tries)).filter((view) => view !== null)).toHaveLength(1);
    const claims = await clinic.ctx.db.slotClaim.findMany({ where: { patientId: patient } });
    expect(claims).toHaveLength(1);
  });

  test('return conflict on a reschedule, which may overlap its own old slot', async () => {
    const { patient, times, free } = await newDay();
    const first = await bookAppointment(clinic.app(), wish(patient, times[0]!));
    const second = await bookAppointment(clinic.app(), wish(patient, times[2]!, ALDER));
    const error = await errorOf(rescheduleAppointment(clinic.app(), { id: second.id, from_date: times[0]! }));
    expect(error).toMatchObject({ code: 'conflict', meta: { appointment_id: first.id } });
    expect(await claimsOf(clinic.ctx, second.id)).toHaveLength(1);
    const other = await makePatient(clinic);
    const [, , , , , , long] = await free(ROWAN, LONG_APPOINTMENT);
    const appointment = await bookAppointment(clinic.app(), {
      ...wish(other.id, long!.from_date),
      appointment_type_id: LONG_APPOINTMENT,
    });
    const half = new Date(Date.parse(long!.from_date) + 30 * 60_000).toISOString();
    const moved = await rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: half });
    expect(Date.parse(moved.from_date)).toBe(Date.parse(half));
  });
});

describe('staff users may overlap appointments', () => {
  test('with allow_overlap, when booking and rescheduling; other callers may not', async () => {
    const { patient, times } = await newDay();
    await bookAppointment(clinic.app(), wish(patient, times[0]!));
    const beside = wish(patient, times[0]!, ALDER, { allow_overlap: true });
    for (const ctx of [clinic.app(), asPatient(clinic.services, clinic.tenant, patient)])
      expect((await errorOf(bookAppointment(ctx, beside))).code).toBe('forbidden');
    const second = await bookAppointment(staff(), beside);
    expect(second.status).toBe('scheduled');
    expect((await errorOf(bookAppointment(clinic.app(), wish(patient, times[0]!, JUNIPER)))).code).toBe('conflict');
    await cancelAppointment(clinic.app(), { id: second.id });
    const fourth = await bookAppointment(staff(), wish(patient, times[3]!, ALDER));
    expect(
      (await errorOf(rescheduleAppointment(clinic.app(), { id: fourth.id, from_date: times[0]!, allow_overlap: true })))
        .code,
    ).toBe('forbidden');
    const admin = asAdmin(clinic.services, clinic.tenant);
    const moved = await rescheduleAppointment(admin, { id: fourth.id, from_date: times[0]!, allow_overlap: true });
    expect(Date.parse(moved.from_date)).toBe(Date.parse(times[0]!));
    expect(await claimsOf(clinic.ctx, fourth.id)).toMatchObject([{ overlapOk: true, patientId: patient }]);
  });

  test('an appointment with allow_overlap still conflicts with later ones', async () => {
    const { patient, times, free } = await newDay();
    const first = await bookAppointment(staff(), wish(patient, times[0]!));
    const second = await bookAppointment(staff(), wish(patient, times[0]!, ALDER, { allow_overlap: true }));
    await cancelAppointment(clinic.app(), { id: first.id });
    const left = (await free(ROWAN)).find(({ from_date }) => Date.parse(from_date) === Date.parse(times[0]!))!;
    const error = await errorOf(bookAppointment(clinic.app(), wish(patient, left.from_date)));
    expect(error).toMatchObject({ code: 'conflict', meta: { appointment_id: second.id } });
  });
});

test("an overlapping appointment from the provider's console is imported", async () => {
  const { patient, times } = await newDay();
  await bookAppointment(clinic.app(), wish(patient, times[0]!));
  const { id } = await clinic.acuity.console('POST', '/appointments?admin=true', {
    datetime: times[0]!,
    appointmentTypeID: FOLLOW_UP,
    calendarID: ALDER,
    firstName: 'Ada',
    lastName: 'Example',
    email: `${patient}@example.test`,
  });
  const account = await getAcuityAccount(clinic.ctx);
  await syncAppointment(clinic.ctx, account, id);
  const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { providerAppointmentId: id } });
  expect(row).toMatchObject({ patientId: patient, status: 'scheduled' });
  expect(await claimsOf(clinic.ctx, row.id)).toMatchObject([{ overlapOk: true, calendarId: ALDER }]);
});
