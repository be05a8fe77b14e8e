import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient } from '#dev/testing/scheduling.ts';
import { type Context, contextFor, type Services } from '#server/core/context.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { openVisit } from './open-visit.ts';

const START = new Date('2027-03-01T15:00:00Z');
let started: Clinic;
let services: Services;
let tenant: { id: string };
beforeAll(async () => {
  started = await withClinic();
  ({ services, tenant } = started);
});
afterAll(() => started?.stop());

async function makeAppointment(status: string): Promise<string> {
  const patient = await makePatient({ services, tenant });
  const videoToken = newLinkToken(tenant.id);
  await services.database.forTenant(tenant.id).appointment.create({
    data: {
      id: newId(),
      tenantId: tenant.id,
      patientId: patient.id,
      appointmentTypeId: 21,
      appointmentType: 'Follow-up visit',
      calendarId: 11,
      calendar: 'Rowan Example',
      startAt: START,
      endAt: new Date(START.getTime() + 30 * 60_000),
      timeZone: 'America/New_York',
      videoToken,
      status,
    },
  });
  return videoToken;
}
const visitor = (now: string, tenantId = tenant.id): Context => ({
  ...contextFor(services, { kind: 'visitor', tenantId }),
  clock: { now: () => new Date(now) },
});

test('a link shows time and practitioner, and nothing about the patient', async () => {
  const token = await makeAppointment('scheduled');
  expect(await openVisit(visitor('2027-03-01T12:00:00Z'), { token })).toEqual({
    clinic: 'Example Clinic',
    phone: null,
    practitioner: 'Rowan Example',
    from_date: '2027-03-01T10:00:00-05:00',
    to_date: '2027-03-01T10:30:00-05:00',
    time_zone: 'America/New_York',
    opens_at: '2027-03-01T14:45:00.000Z',
    closes_at: '2027-03-01T16:30:00.000Z',
    status: 'scheduled',
    is_moved: false,
    asks: [],
    now: '2027-03-01T12:00:00.000Z',
  });
  const statusAt = async (now: string) => (await openVisit(visitor(now), { token })).status;
  expect(await statusAt('2027-03-01T16:29:59Z')).toBe('scheduled');
  expect(await statusAt('2027-03-01T16:30:00Z')).toBe('over');
});

test('a rescheduled appointment is moved', async () => {
  const token = await makeAppointment('scheduled');
  const ctx = asAdmin(services, tenant);
  const { id } = await ctx.db.appointment.findFirstOrThrow({ where: { videoToken: token } });
  const object = { type: 'Appointment', id };
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, { action: 'appointments.reschedule', object, event: 'appointment.rescheduled', payload: { id } }),
  );
  expect((await openVisit(visitor('2027-03-01T12:00:00Z'), { token })).is_moved).toBe(true);
});

test('a canceled appointment has the status canceled', async () => {
  const token = await makeAppointment('canceled');
  expect((await openVisit(visitor('2027-03-01T12:00:00Z'), { token })).status).toBe('canceled');
});

test('an appointment to which the patient did not come is over, not canceled', async () => {
  const token = await makeAppointment('no_show');
  expect((await openVisit(visitor('2027-03-01T15:20:00Z'), { token })).status).toBe('over');
});

test('unknown links, links of pending bookings and links of other tenants return not_found', async () => {
  const now = '2027-03-01T12:00:00Z';
  const other = await makeTenant(services);
  const token = await makeAppointment('scheduled');
  const errors = [
    await errorOf(openVisit(visitor(now), { token: newLinkToken(tenant.id) })),
    await errorOf(openVisit(visitor(now), { token: await makeAppointment('pending') })),
    await errorOf(openVisit(visitor(now, other.id), { token })),
  ];
  expect(errors.map(({ code }) => code)).toEqual(['not_found', 'not_found', 'not_found']);
  expect((await errorOf(openVisit(asAdmin(services, tenant), { token }))).code).toBe('forbidden');
});
