import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createCallerFactory } from '#server/core/trpc.ts';
import { beginSession } from '../../sessions/begin-session.ts';
import { isSessionLive } from '../../sessions/is-session-live.ts';
import { patientSignInRouter } from '../router.ts';
import { endPatientSession, endPatientSessions } from './end-patient-sessions.ts';
import { getPatientSignIn } from './get-patient-sign-in.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe("a patient's sign-in, as staff see it", () => {
  let clinic: Clinic;
  let services: Services;
  let staff: Context;
  let tenant: { id: string };
  let otherStaff: Context;
  let ahead = 0;

  beforeAll(async () => {
    clinic = await withClinic({ overrides: { clock: { now: () => new Date(Date.now() + ahead) } } });
    ({ services, tenant } = clinic);
    staff = asPractitioner(services, tenant);
    otherStaff = asAdmin(services, await makeTenant(services, { name: 'Hillside Clinic' }));
  });
  afterAll(() => clinic?.stop());

  const isLive = (session: { sessionId: string; patientId: string; clientId: string }) => {
    const { sessionId: sid, patientId: sub, clientId: client_id } = session;
    return isSessionLive(services, { tenant_id: tenant.id, sid, sub, client_id });
  };
  const addPatient = async (signIn?: { phoneNumber?: string; confirmedAt?: Date }) => {
    const { tenantId } = staff;
    const { id } = await staff.db.patient.create({ data: { id: newId(), tenantId } });
    if (signIn) await staff.db.patientSignIn.create({ data: { tenantId, patientId: id, ...signIn } });
    return id;
  };
  const signIn = (patientId: string) => {
    const caller = { ip: '192.0.2.17', userAgent: FIREFOX, requestId: newId(), idempotencyKey: null };
    return staff.db.$transaction((tx) => beginSession(tx, staff, { patientId, clientId: newId(), caller }));
  };
  const read = (patientId: string) => getPatientSignIn(staff, { patient_id: patientId });

  test('a patient without a way to sign in has no sessions', async () => {
    const view = await read(await addPatient());
    expect(view).toMatchObject({ ways: [], confirmed: false, phone_number: null, sessions: [], earlier: [] });
  });

  test('shows sessions with a device and a coarse address, and no credentials', async () => {
    const id = await addPatient({ phoneNumber: '+12025550111', confirmedAt: new Date() });
    const { sessionId, refreshToken } = await signIn(id);
    const view = await read(id);
    expect(view).toMatchObject({ ways: ['text_message'], confirmed: true, phone_number: '+12025550111' });
    expect(view.sessions).toMatchObject([
      { id: sessionId, device: 'Firefox on Linux', network: '192.0.2.0/24', ended_at: null, end_reason: null },
    ]);
    expect(JSON.stringify(view)).not.toContain(refreshToken);
  });

  test('staff end one session, and the others stay', async () => {
    const id = await addPatient({ phoneNumber: '+12025550112' });
    const [first, second] = [await signIn(id), await signIn(id)];
    const ended = await endPatientSession(staff, { patient_id: id, session_id: first.sessionId });
    expect(ended.end_reason).toBe('revoked');
    expect(await isLive(first)).toBe(false);
    expect(await isLive(second)).toBe(true);
    const view = await read(id);
    expect(view.sessions.map((session) => session.id)).toEqual([second.sessionId]);
    expect(view.earlier.map((session) => session.id)).toEqual([first.sessionId]);
    await endPatientSession(staff, { patient_id: id, session_id: first.sessionId });
    expect((await read(id)).earlier[0]?.ended_at).toBe(ended.ended_at);
  });

  test('staff end all sessions, with an audit entry each', async () => {
    const id = await addPatient({ phoneNumber: '+12025550113' });
    const started = [await signIn(id), await signIn(id)].map(({ sessionId }) => sessionId);
    await endPatientSessions(staff, { patient_id: id });
    const view = await createCallerFactory(patientSignInRouter)(staff).get({ patient_id: id });
    expect(view.sessions).toEqual([]);
    expect(view.earlier).toHaveLength(2);
    const entries = await staff.db.auditEntry.findMany({ where: { patientId: id } });
    const ends = entries.filter(({ action }) => action === 'sessions.end');
    expect(ends.map(({ objectId }) => objectId).sort()).toEqual(started.sort());
    expect(ends.every(({ actorType }) => actorType === 'Practitioner')).toBe(true);
    expect(entries.map(({ action }) => action)).toContain('sign_ins.get');
  });

  test('lists an expired session as an earlier one', async () => {
    const id = await addPatient({ phoneNumber: '+12025550114' });
    const { expiresAt } = await signIn(id);
    ahead = 31 * DAY;
    const { sessions, earlier } = await read(id);
    ahead = 0;
    expect(sessions).toEqual([]);
    expect(earlier).toMatchObject([{ end_reason: 'expired', ended_at: expiresAt.toISOString() }]);
  });

  test('rejects applications and patients, and returns not_found to other clinics', async () => {
    const id = await addPatient({ phoneNumber: '+12025550115' });
    const session = await signIn(id);
    const { sessionId } = session;
    const calls = (ctx: Context) => [
      () => getPatientSignIn(ctx, { patient_id: id }),
      () => endPatientSession(ctx, { patient_id: id, session_id: sessionId }),
      () => endPatientSessions(ctx, { patient_id: id }),
    ];
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, id)])
      for (const call of calls(ctx)) await expect(call()).rejects.toMatchObject({ code: 'forbidden' });
    for (const call of calls(otherStaff)) await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    const otherPatient = await addPatient();
    await expect(endPatientSession(staff, { patient_id: otherPatient, session_id: sessionId })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await isLive(session)).toBe(true);
  });

  test('a session is live for its own patient and app only', async () => {
    const session = await signIn(await addPatient({ phoneNumber: '+12025550116' }));
    const [patientId, clientId] = [newId(), newId()];
    expect(await isLive(session)).toBe(true);
    expect(await isLive({ ...session, patientId })).toBe(false);
    expect(await isLive({ ...session, clientId })).toBe(false);
  });
});
