import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_LINE_TEST_LENGTH } from '#contract/limits.ts';
import { asAdmin, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import { errorOf, makePatient } from '#dev/testing/scheduling.ts';
import { type Context, contextFor, type Services } from '#server/core/context.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { openTest, reportTest, tryLine } from './visit-test.ts';

const START = new Date('2027-03-01T15:00:00Z');
const BEFORE = '2027-02-28T12:00:00Z';
const WORKED = { devices: 'ok', way: 'direct', line: 'good' } as const;
let started: Clinic;
let services: Services;
let tenant: { id: string };
let servers: Awaited<ReturnType<typeof serveHandlers>>;
beforeAll(async () => {
  started = await withClinic({
    env: {
      VIDEO_STUN_URLS: 'stun:turn.example.test',
      VIDEO_TURN_URLS: 'turn:turn.example.test',
      VIDEO_TURN_SECRET: 'the-secret-of-a-relay-in-tests',
    },
  });
  ({ services, tenant } = started);
  servers = await serveHandlers(services);
});
afterAll(async () => {
  await servers?.stop();
  await started?.stop();
});

async function makeAppointment(status = 'scheduled') {
  const patient = await makePatient({ services, tenant });
  const [id, videoToken] = [newId(), newLinkToken(tenant.id)];
  await services.database.forTenant(tenant.id).appointment.create({
    data: {
      id,
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
  return { id, token: videoToken, patientId: patient.id };
}
const visitor = (now = BEFORE, tenantId = tenant.id): Context => ({
  ...contextFor(services, { kind: 'visitor', tenantId }),
  clock: { now: () => new Date(now) },
});
const storedTest = async (id: string) =>
  (await services.database.forTenant(tenant.id).appointment.findFirst({ where: { id } }))!.videoTest;

describe('before the appointment', () => {
  test('the test page gets ICE servers whose credentials expire in five minutes and contain no ids', async () => {
    const { token, id, patientId } = await makeAppointment();
    const page = await openTest(visitor(), { token });
    expect(page).toMatchObject({ clinic: 'Example Clinic', practitioner: 'Rowan Example', status: 'scheduled' });
    const [stun, turn] = page.ice_servers;
    expect(stun).toEqual({ urls: ['stun:turn.example.test'] });
    expect(Number(turn!.username!.split(':')[0])).toBe(Date.parse(BEFORE) / 1000 + 300);
    expect(JSON.stringify(page)).not.toMatch(new RegExp(`${id}|${patientId}`));
  });

  test('stores only the last result', async () => {
    const { token, id, patientId } = await makeAppointment();
    expect(await storedTest(id)).toBeNull();
    const { updatedAt } = (await services.database.forTenant(tenant.id).appointment.findFirst({ where: { id } }))!;
    await reportTest(visitor(), { token, devices: 'camera_blocked', way: 'relay', line: 'thin' });
    expect(await storedTest(id)).toEqual({
      at: new Date(BEFORE).toISOString(),
      devices: 'camera_blocked',
      way: 'relay',
      line: 'thin',
    });
    await reportTest(visitor(), { token, ...WORKED });
    expect(await storedTest(id)).toMatchObject(WORKED);
    const db = services.database.forTenant(tenant.id);
    expect((await db.appointment.findFirst({ where: { id } }))!.updatedAt).toEqual(updatedAt);
    const entries = await db.auditEntry.findMany({ where: { action: 'visits.report_test', patientId } });
    expect(entries.map(({ objectId, actorType, details }) => [objectId, actorType, details])).toEqual([
      [id, 'Visitor', { devices: 'camera_blocked', way: 'relay', line: 'thin' }],
      [id, 'Visitor', WORKED],
    ]);
  });

  test('the connection test returns as many bytes as it received', async () => {
    const { token } = await makeAppointment();
    const piece = 'x'.repeat(MAX_LINE_TEST_LENGTH);
    expect(await tryLine(visitor(), { token, piece })).toEqual({ piece });
  });
});

describe('rejects', () => {
  test('an appointment that is over or canceled: no credentials, no stored result', async () => {
    const { token, id } = await makeAppointment();
    expect((await openTest(visitor('2027-03-01T15:30:00Z'), { token })).ice_servers).toEqual([]);
    expect((await errorOf(reportTest(visitor('2027-03-01T15:30:00Z'), { token, ...WORKED }))).code).toBe('not_found');
    const canceled = await makeAppointment('canceled');
    expect((await openTest(visitor(), canceled)).ice_servers).toEqual([]);
    expect((await errorOf(reportTest(visitor(), { token: canceled.token, ...WORKED }))).code).toBe('not_found');
    expect([await storedTest(id), await storedTest(canceled.id)]).toEqual([null, null]);
  });

  test('links of other tenants, unknown links and other actors', async () => {
    const { token, id } = await makeAppointment();
    const other = await makeTenant(services);
    for (const [ctx, otherToken] of [
      [visitor(BEFORE, other.id), token],
      [visitor(), newLinkToken(tenant.id)],
    ] as const) {
      expect((await errorOf(openTest(ctx, { token: otherToken }))).code).toBe('not_found');
      expect((await errorOf(reportTest(ctx, { token: otherToken, ...WORKED }))).code).toBe('not_found');
    }
    const admin = asAdmin(services, tenant);
    for (const request of [
      openTest(admin, { token }),
      tryLine(admin, { token, piece: '' }),
      reportTest(admin, { token, ...WORKED }),
    ])
      expect((await errorOf(request)).code).toBe('forbidden');
    expect(await storedTest(id)).toBeNull();
  });

  test('a link beyond its rate limits', async () => {
    const { token } = await makeAppointment();
    for (let n = 0; n < 10; n++) await openTest(visitor(), { token });
    expect((await errorOf(openTest(visitor(), { token }))).code).toBe('rate_limited');
    for (let n = 0; n < 10; n++) await reportTest(visitor(), { token, ...WORKED });
    expect((await errorOf(reportTest(visitor(), { token, ...WORKED }))).code).toBe('rate_limited');
    for (let n = 0; n < 80; n++) await tryLine(visitor(), { token, piece: '' });
    expect((await errorOf(tryLine(visitor(), { token, piece: '' }))).code).toBe('rate_limited');
  });

  test('invalid test reports at the HTTP endpoint', async () => {
    const { token, id } = await makeAppointment();
    const post = async (step: string, body: object) => {
      const response = await fetch(`${servers.url}/api/links/visits.${step}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.status;
    };
    for (const wrong of [
      { ...WORKED, devices: 'stolen' },
      { ...WORKED, way: '' },
      { ...WORKED, line: null },
      { ...WORKED, note: 'more' },
      { devices: 'ok' },
    ])
      expect(await post('reportTest', { token, ...wrong })).toBe(422);
    expect(await post('tryLine', { token, piece: 'x'.repeat(MAX_LINE_TEST_LENGTH + 1) })).toBe(422);
    expect(await post('tryLine', { token, piece: 'x'.repeat(70_000) })).toBe(413);
    expect(await post('tryLine', { token, piece: 'x'.repeat(MAX_LINE_TEST_LENGTH) })).toBe(200);
    expect(await storedTest(id)).toBeNull();
  });
});
