import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListAppointmentsInput } from '#contract/scheduling.ts';
import { asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient } from '#dev/testing/scheduling.ts';
import type { testServices } from '#dev/testing/services.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { createCallerFactory, router } from '#server/core/trpc.ts';
import { appointmentsRouter } from '../router.ts';
import { getAppointment } from './get-appointment.ts';
import { listAppointments } from './list-appointments.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2027-03-01T12:00:00Z');
let clinic: Clinic;
let services: ReturnType<typeof testServices>;
let tenant: { id: string };
let ada: string;
let bo: string;
let ids: string[];

beforeAll(async () => {
  clinic = await withClinic();
  ({ services, tenant } = clinic);
  ada = (await makePatient({ services, tenant })).id;
  bo = (await makePatient({ services, tenant })).id;
  // Two start at the same time, so that the order depends on more than the start.
  const rows = [
    [ada, 0, 'scheduled'],
    [ada, 1, 'scheduled'],
    [bo, 1, 'scheduled'],
    [ada, 2, 'no_show'],
    [ada, 3, 'canceled'],
    [ada, 4, 'pending'],
    [bo, 5, 'failed'],
    [bo, 6, 'scheduled'],
  ] as const;
  ids = [];
  for (const [patientId, hours, status] of rows) {
    const id = newId();
    ids.push(id);
    await services.database.forTenant(tenant.id).appointment.create({
      data: {
        id,
        tenantId: tenant.id,
        patientId,
        appointmentTypeId: 21,
        appointmentType: 'Visit',
        calendarId: 11,
        calendar: 'Rowan Example',
        startAt: new Date(NOON + hours * HOUR_MS),
        endAt: new Date(NOON + hours * HOUR_MS + HOUR_MS / 2),
        timeZone: 'America/New_York',
        videoToken: newLinkToken(tenant.id),
        status,
      },
    });
  }
});
afterAll(() => clinic?.stop());

const app = () => asApplication(services, tenant);
/** Indexes into `ids`, in response order. */
const list = async (input: ListAppointmentsInput, ctx = app()) =>
  (await listAppointments(ctx, input)).items.map(({ id }) => ids.indexOf(id));
const at = (hours: number) => new Date(NOON + hours * HOUR_MS).toISOString();

describe('listing appointments', () => {
  test('returns booked ones, latest first, and other statuses only on request', async () => {
    expect(await list({})).toEqual([7, 3, 2, 1, 0]);
    expect(await list({ status: ['canceled'] })).toEqual([4]);
    expect(await list({ status: ['no_show'] })).toEqual([3]);
  });

  test('filters by patients and start times, bounds included', async () => {
    expect(await list({ patient_id: bo })).toEqual([7, 2]);
    expect(await list({ attendee_ids: [ada, bo], scheduled_after: at(1), scheduled_before: at(2) })).toEqual([3, 2, 1]);
    const disagreeing = listAppointments(app(), { patient_id: ada, attendee_ids: [bo] });
    expect((await errorOf(disagreeing)).code).toBe('invalid_parameter');
    expect(await list({ scheduled_before: at(0) })).toEqual([0]);
  });

  test('pagination returns each appointment once, in both directions', async () => {
    const seen: number[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page += 1) {
      const result = await listAppointments(app(), { size: 2, starting_after: cursor });
      seen.push(...result.items.map(({ id }) => ids.indexOf(id)));
      if (result.next === null) break;
      cursor = result.next;
    }
    expect(seen).toEqual([7, 3, 2, 1, 0]);
    expect(await list({ size: 2, ending_before: ids[0]! })).toEqual([2, 1]);
    const numbered = await listAppointments(app(), { page: 2, size: 2 });
    expect(numbered.items.map(({ id }) => ids.indexOf(id))).toEqual([2, 1]);
    expect(numbered.totals).toEqual({ count: 5, pages: 3, page: 2 });
  });

  test('rejects a cursor that is unknown or invisible to the caller', async () => {
    for (const starting_after of ['nonsense', newId(), ids[5]!])
      expect((await errorOf(listAppointments(app(), { starting_after }))).code).toBe('invalid_parameter');
    const others = listAppointments(asPatient(services, tenant, ada), {
      patient_id: ada,
      starting_after: ids[7]!,
    });
    expect((await errorOf(others)).code).toBe('invalid_parameter');
  });
});

describe('a patient', () => {
  const patient = () => asPatient(services, tenant, ada);

  test('lists their own appointments, with or without their id as filter', async () => {
    expect(await list({}, patient())).toEqual([3, 1, 0]);
    expect(await list({ patient_id: ada }, patient())).toEqual([3, 1, 0]);
    expect(await list({ attendee_ids: [ada] }, patient())).toEqual([3, 1, 0]);
  });

  test('gets forbidden when filtering by other patients', async () => {
    for (const input of [{ patient_id: bo }, { attendee_ids: [ada, bo] }, { patient_id: ada, attendee_ids: [bo] }])
      expect((await errorOf(listAppointments(patient(), input))).code).toBe('forbidden');
  });

  test("gets their own appointment and not another patient's", async () => {
    expect(await getAppointment(patient(), { id: ids[0]! })).toMatchObject({ id: ids[0], patient_id: ada });
    for (const id of [ids[2]!, ids[5]!, newId()])
      expect((await errorOf(getAppointment(patient(), { id }))).code).toBe('not_found');
  });

  test('impersonated, each read leaves an audit entry', async () => {
    const clientId = newId();
    await createCallerFactory(router({ appointments: appointmentsRouter }))(
      asPatient(services, tenant, ada, clientId),
    ).appointments.get({ id: ids[1]! });
    const entries = await services.database.forTenant(tenant.id).auditEntry.findMany({ where: { objectId: ids[1]! } });
    expect(entries).toMatchObject([{ action: 'appointments.get', actorId: clientId, patientId: ada }]);
  });
});

test('staff users and applications see only their tenant', async () => {
  expect(await list({}, asPractitioner(services, tenant))).toHaveLength(5);
  const other = await makeTenant(services);
  expect(await list({}, asApplication(services, other))).toEqual([]);
  expect((await errorOf(getAppointment(asApplication(services, other), { id: ids[0]! }))).code).toBe('not_found');
  const scopeless = asApplication(services, tenant, ['patients:read']);
  expect((await errorOf(listAppointments(scopeless, {}))).code).toBe('forbidden');
});
