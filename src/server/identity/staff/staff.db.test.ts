import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissionsOf } from '#contract/roles.ts';
import { asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { MINUTE } from '../../core/clock.ts';
import { type Context, contextFor, type Services, systemContext } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { assertRateLimit } from '../../core/rate-limiter.ts';
import { failureKeys } from '../verification/failures.ts';
import { createStaffUser } from './create-staff-user.ts';
import { createTenant } from './create-tenant.ts';
import { signOutStaff } from './end-staff-sessions.ts';
import { portalContext, staffPerson } from './lockout/portal-context.ts';
import { getMe } from './router.ts';
import { beginStaffSession, signInStaff } from './sign-in-staff.ts';
import { staffActor } from './staff-actor.ts';

/** The clock stands still unless a test moves it, so that no rate-limit window ends in the middle of a test. */
const started = new Date();
const PASSWORD = 'correct horse battery';

describe('staff', () => {
  let clinic: Clinic;
  let services: Services;
  let tenant: { id: string };
  let ctx: Context;
  let source = 0;
  let later = 0;
  const clock = { now: () => new Date(started.getTime() + later) };

  beforeAll(async () => {
    clinic = await withClinic({ overrides: { clock } });
    ({ services, tenant } = clinic);
    ctx = systemContext(services, tenant.id, 'test');
  });
  afterAll(() => clinic?.stop());

  const add = (email: string, within = ctx) =>
    createStaffUser(within, { email, name: 'Ada Example', role: 'practitioner', password: PASSWORD });
  /** Each sign-in uses its own source, so that tests do not throttle each other. */
  const signIn = (email: string, password: string, from?: string) => {
    source += 1;
    return signInStaff(services, { email, password, source: from ?? `192.0.2.${source}` });
  };
  const sessionOf = async (email: string) => {
    const signedIn = await signIn(email, PASSWORD);
    if (signedIn === null || signedIn === 'code_required') throw new Error(`not signed in: ${signedIn}`);
    return signedIn;
  };

  test('signs in with email in any case and the password', async () => {
    const user = await add('Ada@Example.test');
    expect(user.email).toBe('ada@example.test');
    const session = await signIn(' ADA@example.test ', PASSWORD);
    const sessionId = expect.any(String);
    const { email, name } = user;
    expect(session).toEqual({ userId: user.id, tenantId: tenant.id, sessionId, device: sessionId, name, email });
    const row = await ctx.db.staffUser.findUniqueOrThrow({ where: { id: user.id } });
    expect(row.passwordHash).toMatch(/^\$argon2id\$/);
  });

  test('returns null for a wrong password, an unknown email and an overlong password', async () => {
    await add('bob@example.test');
    expect(await signIn('bob@example.test', 'wrong horse battery')).toBeNull();
    expect(await signIn('unknown@example.test', PASSWORD)).toBeNull();
    expect(await signIn('bob@example.test', PASSWORD.repeat(20))).toBeNull();
  });

  test('throttles the right password too after five wrong attempts, at that source only', async () => {
    await add('carol@example.test');
    const tries = Array.from({ length: 20 }, () =>
      signIn('carol@example.test', 'wrong', '198.51.100.1').catch((e) => e),
    );
    const responses = await Promise.all(tries);
    expect(responses.filter((response) => response === null)).toHaveLength(5);
    await expect(signIn('carol@example.test', PASSWORD, '198.51.100.1')).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await expect(signIn('nobody2@example.test', PASSWORD, '198.51.100.1')).resolves.toBeNull();
    expect(await signIn('carol@example.test', PASSWORD, '198.51.100.2')).not.toBeNull();
  });

  test('limits the attempts of one source over all accounts', async () => {
    await add('cleo@example.test');
    const source = '198.51.100.7';
    for (let n = 0; n < 119; n += 1) assertRateLimit(services, { name: 'wrong_staff_sign_ins', key: [source] });
    expect(await signIn('cleo@example.test', PASSWORD, source)).not.toBeNull();
    expect(await signIn('unknown@example.test', PASSWORD, source)).toBeNull();
    await expect(signIn('other@example.test', PASSWORD, source)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await signIn('cleo@example.test', PASSWORD, '198.51.100.8')).not.toBeNull();
  });

  test('right passwords do not use up attempts', async () => {
    await add('dan@example.test');
    for (let n = 0; n < 8; n += 1) expect(await signIn('dan@example.test', PASSWORD, '198.51.100.3')).not.toBeNull();
  });

  test('signs in at the clinic whose password fits when one email has two clinics', async () => {
    const second = await createTenant(services, { name: 'Second Example', timeZone: 'America/Chicago' });
    await add('erin@example.test');
    const there = systemContext(services, second.id, 'test');
    const other = { email: 'erin@example.test', name: 'Erin Example', role: 'admin' as const };
    await createStaffUser(there, { ...other, password: 'another long password' });
    expect(await signIn('erin@example.test', PASSWORD)).toMatchObject({ tenantId: tenant.id });
    expect(await signIn('erin@example.test', 'another long password')).toMatchObject({ tenantId: second.id });
  });

  test.each([
    ['keeps the secret of its device for ten rounds', 10],
    // Then each right password is an attempt at both clinics.
    ['discards it at once', 1],
  ])(
    'a sign-in at one clinic does not reset the attempts at another, for an attacker who %s',
    async (_, lasts) => {
      const [here, there] = await Promise.all(
        ['Hillside Clinic', 'Lakeside Clinic'].map((name) =>
          createTenant(services, { name, timeZone: 'America/New_York' }),
        ),
      );
      const email = `morgan${lasts}@example.test`;
      const staff = { email, name: 'Morgan Example', role: 'practitioner' } as const;
      await createStaffUser(systemContext(services, here!.id, 'test'), { ...staff, password: PASSWORD });
      const own = 'another quite long passphrase';
      await createStaffUser(systemContext(services, there!.id, 'test'), { ...staff, password: own });
      let checked = 0;
      const devices: string[] = [];
      const tryOne = (password: string) =>
        signInStaff(services, { email, password, source: '192.0.2.250', devices }).then(
          (signedIn) => {
            if (signedIn === null) checked += 1;
            if (signedIn && signedIn !== 'code_required' && signedIn.device) devices.push(signedIn.device);
            return signedIn;
          },
          () => 'refused' as const,
        );
      // Without `PROVE`, most failures are inserted up front.
      const [rounds, before] = process.env.PROVE ? [60, 0] : [15, 80];
      const portal = portalContext(services);
      const { unknownDevicesInRow: key } = failureKeys(portal, staffPerson(portal, email), { ip: '', device: null });
      const row = { tenantId: portal.tenantId, key, failures: before, failedAt: clock.now(), inRow: true };
      if (before) await portal.db.signInFailure.create({ data: row });
      for (let round = 0; round < rounds; round++) {
        for (let n = 0; n < 4; n++) await tryOne(`guess ${round} ${n} at the other`);
        await tryOne(own);
        later += MINUTE;
        if (round % lasts === lasts - 1) devices.length = 0;
      }
      expect(checked).toBeGreaterThan(4);
      expect(checked).toBeLessThanOrEqual(100 - before);
      expect(await tryOne(PASSWORD)).toBe('refused');
    },
    120_000,
  );

  test('a changed role and a disabled user take effect within a second', async () => {
    const user = await add('finn@example.test');
    const patient = await sessionOf('finn@example.test');
    expect(await staffActor(services, patient)).toEqual({
      kind: 'practitioner',
      permissions: new Set(permissionsOf('practitioner', [])),
      tenantId: tenant.id,
      userId: user.id,
      sessionId: patient.sessionId,
    });
    await ctx.db.staffUser.update({ where: { id: user.id }, data: { role: 'admin' } });
    await expect.poll(() => staffActor(services, patient), { timeout: 3000 }).toMatchObject({ kind: 'admin' });
    await ctx.db.staffUser.update({ where: { id: user.id }, data: { disabledAt: new Date() } });
    await expect.poll(() => staffActor(services, patient), { timeout: 3000 }).toBeNull();
    expect(await signIn('finn@example.test', PASSWORD)).toBeNull();
  });

  test('a session is valid for its own user only, and not after its end', async () => {
    await add('jan@example.test');
    const user = await add('kim@example.test');
    const patient = await sessionOf('jan@example.test');
    expect(await staffActor(services, { ...patient, userId: user.id, sessionId: newId() })).toBeNull();
    await signOutStaff(services, patient);
    expect(await staffActor(services, patient)).toBeNull();
    await expect(signOutStaff(services, patient)).resolves.toBeUndefined();
    const second = await sessionOf('jan@example.test');
    expect(await staffActor(services, second)).not.toBeNull();
    expect(await staffActor(services, { ...second, userId: user.id })).toBeNull();
  });

  test('rejects a sign-in during which the user is disabled, the password changes or the second step is turned on', async () => {
    const { id } = await add('lea@example.test');
    const read = () => ctx.db.staffUser.findUniqueOrThrow({ where: { id } });
    const { passwordHash } = await read();
    const proven = {
      id,
      tenantId: tenant.id,
      role: 'practitioner' as const,
      passwordHash: passwordHash!,
      isTwoStep: false,
    };
    expect(await beginStaffSession(services, { ...proven, passwordHash: 'the one before' })).toBeNull();
    expect((await read()).lastSignedInAt).toBeNull();
    expect(await beginStaffSession(services, proven)).not.toBeNull();
    expect((await read()).lastSignedInAt).not.toBeNull();
    const on = { tenantId: tenant.id, userId: id, secret: new Uint8Array(1), turnedOnAt: new Date() };
    await ctx.db.staffTwoStep.create({ data: on });
    expect(await beginStaffSession(services, proven)).toBeNull();
    expect(await beginStaffSession(services, { ...proven, isTwoStep: true })).not.toBeNull();
    await ctx.db.staffUser.update({ where: { id }, data: { disabledAt: new Date() } });
    expect(await beginStaffSession(services, proven)).toBeNull();
  });

  test('rejects a second user with the same email in a tenant, and reports invalid input by field', async () => {
    await add('gus@example.test');
    await expect(add('GUS@example.test')).rejects.toMatchObject({ code: 'email_taken' });
    const bad = { email: 'no', name: '', role: 'owner' as 'admin', password: PASSWORD };
    await expect(createStaffUser(ctx, bad)).rejects.toMatchObject({
      faults: ['email', 'name', 'role'].map((field) => ({ source: { pointer: `/${field}` } })),
    });
    const good = { email: 'gina@example.test', name: 'Gina Example', role: 'admin' as const };
    for (const password of ['short', 'password1234', 'my name is gina!', 'x'.repeat(257)])
      await expect(createStaffUser(ctx, { ...good, password })).rejects.toMatchObject({
        faults: [{ code: 'invalid_parameter', source: { pointer: '/password' } }],
      });
    await expect(add('hal@example.test', asPractitioner(services, tenant))).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test('me returns the user, the clinic and the environment', async () => {
    const user = await add('ivy@example.test');
    const me = await getMe(
      contextFor(services, actorOfStaff({ role: 'practitioner', tenantId: tenant.id, userId: user.id })),
    );
    expect(me).toEqual({
      user,
      tenant: { id: tenant.id, name: 'Example Clinic', time_zone: 'America/New_York', invites_enabled: false },
      permissions: permissionsOf('practitioner', []),
      environment: 'sandbox',
      two_step_due: false,
      has_appointments: false,
    });
    await expect(getMe(ctx)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
