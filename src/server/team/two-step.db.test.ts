import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#contract/roles.ts';
import { asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { dumpDatabase, findCanaries } from '#dev/testing/canaries.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { HOUR, SECOND } from '../core/clock.ts';
import { type Context, contextFor, type Services } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { createCallerFactory, router } from '../core/trpc.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { getMe } from '../identity/staff/router.ts';
import { signInStaff } from '../identity/staff/sign-in-staff.ts';
import { staffActor } from '../identity/staff/staff-actor.ts';
import { accountRouter } from './router.ts';

const PASSWORD = 'correct horse battery';
const STEP = 30 * SECOND;
const createCaller = createCallerFactory(router({ account: accountRouter }));

describe('two-step sign-in', () => {
  let bench: SignInBench;
  let tenant: Context;
  let userCount = 0;

  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    tenant = (await bench.tenant()).ctx;
  });
  afterAll(() => bench?.stop());

  const inProduction = (): Services => {
    const { services } = bench;
    return { ...services, config: { ...services.config, environment: 'production' } };
  };
  /** Each test uses a new user with their own source. */
  async function member(role: Role = 'admin', services: Services = bench.services) {
    userCount += 1;
    const email = `ada${userCount}@example.test`;
    const { id } = await createStaffUser(tenant, { email, name: 'Ada Example', role, password: PASSWORD });
    const source = `192.0.2.${userCount}`;
    const signIn = (code?: string) => signInStaff(services, { email, password: PASSWORD, code, source });
    async function enter(code?: string) {
      const session = await signIn(code);
      if (session === null || session === 'code_required') throw new Error(`not signed in: ${session}`);
      const actor = await staffActor(services, session);
      const ctx = contextFor(services, actor!);
      return { session, ctx, caller: createCaller(ctx) };
    }
    return { id, email, source, signIn, enter };
  }
  const appOf = (uri: string) => {
    const totp = new TOTP({ secret: Secret.fromBase32(new URL(uri).searchParams.get('secret')!) });
    return (ahead = 0) => totp.generate({ timestamp: bench.clock.now().getTime() + ahead });
  };
  /** To the start of the next step, so that no step ends between creating a code and using it. */
  const nextStep = () => bench.clock.pass(STEP - (bench.clock.now().getTime() % STEP) + 2 * SECOND);
  /** A user with two-step sign-in, in a later step than the one used to turn it on. */
  async function withTwoStep(role: 'admin' | 'practitioner' = 'admin', services?: Services) {
    const person = await member(role, services);
    const { caller } = await person.enter();
    const { uri, secret } = await caller.account.startTwoStep({ password: PASSWORD });
    const code = appOf(uri);
    const { recovery_codes: recovery } = await caller.account.confirmTwoStep({ code: code() });
    nextStep();
    return { ...person, code, recovery, secret };
  }
  const rejection = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error) => error.code ?? error,
    );
  const rejectionCause = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error) => error.cause?.code ?? error,
    );

  test('is off until a code of the app proves that it has the key', async () => {
    const person = await member();
    const { caller } = await person.enter();
    const { uri, secret } = await caller.account.startTwoStep({ password: PASSWORD });
    expect(new URL(uri)).toMatchObject({ protocol: 'otpauth:', host: 'totp' });
    expect(new URL(uri).searchParams.get('issuer')).toBe('Riverbend Clinic (sandbox)');
    expect(decodeURIComponent(uri)).toContain(person.email);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await person.signIn()).toMatchObject({ userId: person.id });
    const code = appOf(uri);
    const wrong = String((Number(code()) + 1) % 1_000_000).padStart(6, '0');
    expect(await rejectionCause(caller.account.confirmTwoStep({ code: wrong }))).toBe('invalid_code');
    expect((await caller.account.get()).two_step.turned_on_at).toBeNull();
    const { recovery_codes } = await caller.account.confirmTwoStep({ code: code() });
    expect(new Set(recovery_codes).size).toBe(10);
    expect((await caller.account.get()).two_step).toMatchObject({ recovery_codes_left: 10, required: false });
    expect(await person.signIn()).toBe('code_required');
    expect(await rejectionCause(caller.account.confirmTwoStep({ code: code() }))).toBe('conflict');
  });

  test('signs in with the password and a code, which works once', async () => {
    const person = await withTwoStep();
    expect(await person.signIn()).toBe('code_required');
    expect(await person.signIn('')).toBe('code_required');
    const code = person.code();
    const both = await Promise.all([person.signIn(code), person.signIn(code)].map(rejection));
    expect(both.sort()).toEqual(['done', 'invalid_code']);
    expect(await rejection(person.signIn(code))).toBe('invalid_code');
    nextStep();
    expect(await person.signIn(`${person.code().slice(0, 3)} ${person.code().slice(3)}`)).toMatchObject({
      userId: person.id,
    });
  });

  test('rejects the code that turned it on', async () => {
    const person = await member();
    const { caller } = await person.enter();
    const code = appOf((await caller.account.startTwoStep({ password: PASSWORD })).uri);
    const first = code();
    await caller.account.confirmTwoStep({ code: first });
    expect(await rejection(person.signIn(first))).toBe('invalid_code');
  });

  test('accepts a code of one step before or after, and no other', async () => {
    for (const [ahead, outcome] of [
      [-2 * STEP, 'invalid_code'],
      [2 * STEP, 'invalid_code'],
      [-STEP, 'done'],
      [STEP, 'done'],
    ] as const) {
      const person = await withTwoStep();
      bench.clock.pass(2 * STEP);
      expect([ahead, await rejection(person.signIn(person.code(ahead)))]).toEqual([ahead, outcome]);
    }
  });

  test('never reveals whether a code is right without the password', async () => {
    const person = await withTwoStep();
    const { email, source } = person;
    const guess = { email, source, password: 'wrong horse battery' };
    expect(await signInStaff(bench.services, { ...guess, code: person.code() })).toBeNull();
    expect(await signInStaff(bench.services, { ...guess, code: '000000' })).toBeNull();
    expect(await person.signIn(person.code())).toMatchObject({ userId: person.id });
  });

  test('throttles after five wrong codes from any sources, also when concurrent', async () => {
    const person = await withTwoStep();
    const { email } = person;
    // The first wait is one second; password checks on a slow machine may take as long.
    const at = bench.clock.now();
    const still = { ...bench.services, clock: { now: () => at } };
    const guess = (n: number) =>
      rejection(signInStaff(still, { email, password: PASSWORD, code: 'aaaa-bbbb-cccc', source: `198.51.100.${n}` }));
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(n)));
    expect(responses.filter((response) => response === 'invalid_code')).toHaveLength(5);
    expect(responses.filter((response) => response === 'rate_limited')).toHaveLength(15);
    const right = { email, password: PASSWORD, code: person.code(), source: person.source };
    expect(await rejection(signInStaff(still, right))).toBe('rate_limited');
    bench.clock.pass(HOUR);
    expect(await rejection(person.signIn(person.code()))).toBe('done');
  });

  test('signs in with a recovery code once, and notifies the owner', async () => {
    const person = await withTwoStep();
    const [first, second] = person.recovery as [string, string];
    const both = await Promise.all([person.signIn(first), person.signIn(first)].map(rejection));
    expect(both.sort()).toEqual(['done', 'invalid_code']);
    const { caller } = await person.enter(second.toUpperCase().replaceAll('-', ' '));
    expect((await caller.account.get()).two_step.recovery_codes_left).toBe(8);
    await bench.settled();
    // The two emails are sent by two jobs in no particular order.
    const mails = (await bench.messages(person.email)).map(({ text }) => text);
    for (const left of [9, 8])
      expect(mails).toContainEqual(expect.stringMatching(`recovery codes\\. Codes left: ${left}\\b`));
    const { recovery_codes } = await caller.account.renewRecoveryCodes({ password: PASSWORD });
    expect(await rejection(person.signIn(person.recovery[2]))).toBe('invalid_code');
    expect(await rejection(person.signIn(recovery_codes[0]))).toBe('done');
  });

  test('is replaced by a new key, and the old one works until then', async () => {
    const person = await withTwoStep();
    const other = await person.enter(person.code());
    nextStep();
    const { caller } = await person.enter(person.code());
    const newCode = appOf((await caller.account.startTwoStep({ password: PASSWORD })).uri);
    nextStep();
    expect(await rejection(person.signIn(person.code()))).toBe('done');
    nextStep();
    await caller.account.confirmTwoStep({ code: newCode() });
    nextStep();
    expect(await rejection(person.signIn(person.code()))).toBe('invalid_code');
    expect(await rejection(person.signIn(person.recovery[0]))).toBe('invalid_code');
    expect(await rejection(person.signIn(newCode()))).toBe('done');
    expect(await staffActor(bench.services, other.session)).toBeNull();
  });

  test('cannot be changed without the password', async () => {
    const person = await withTwoStep();
    const { caller } = await person.enter(person.code());
    const wrong = { password: 'wrong horse battery' };
    for (const change of ['startTwoStep', 'renewRecoveryCodes', 'turnOffTwoStep'] as const)
      await expect(caller.account[change](wrong)).rejects.toMatchObject({
        cause: { faults: [{ code: 'invalid_parameter', source: { pointer: '/password' } }] },
      });
    bench.clock.pass(HOUR);
    expect(await rejectionCause(caller.account.turnOffTwoStep({ password: PASSWORD }))).toBe('done');
    expect(await rejection(person.signIn())).toBe('done');
  });

  test('leaves no key, code or password anywhere in the database', async () => {
    const person = await withTwoStep();
    const [first = '', second = ''] = person.recovery;
    await person.enter(first);
    const secrets = new Map([
      ['password', PASSWORD],
      ['key', person.secret],
      ['used code', first],
      ['code', second],
      ['code as typed', second.replaceAll('-', '')],
    ]);
    expect(findCanaries(secrets, await dumpDatabase(bench.database.ownerUrl))).toEqual([]);
  });

  test('is limited to the caller’s own account', async () => {
    const patient = asPatient(bench.services, { id: tenant.tenantId }, newId());
    for (const ctx of [tenant, patient])
      expect(await rejectionCause(createCaller(ctx).account.get())).toBe('forbidden');
  });

  describe('of an admin in production', () => {
    test('is required before everything else', async () => {
      const services = inProduction();
      const person = await member('admin', services);
      const { session, ctx, caller } = await person.enter();
      expect(ctx.actor.kind).toBe('enrolling');
      expect((await getMe(ctx)).two_step_due).toBe(true);
      const calls = [
        caller.account.rename({ name: 'Ada' }),
        caller.account.renewRecoveryCodes({ password: PASSWORD }),
        caller.account.turnOffTwoStep({ password: PASSWORD }),
      ];
      expect(await Promise.all(calls.map(rejectionCause))).toEqual(calls.map(() => 'forbidden'));
      expect((await caller.account.get()).two_step.required).toBe(true);
      const { uri } = await caller.account.startTwoStep({ password: PASSWORD });
      expect(new URL(uri).searchParams.get('issuer')).toBe('Riverbend Clinic');
      await caller.account.confirmTwoStep({ code: appOf(uri)() });
      expect(await staffActor(services, session)).toMatchObject({ kind: 'admin' });
      expect((await getMe(ctx)).two_step_due).toBe(false);
    });

    test('cannot be turned off', async () => {
      const person = await withTwoStep('admin', inProduction());
      const { caller } = await person.enter(person.code());
      expect(await rejectionCause(caller.account.turnOffTwoStep({ password: PASSWORD }))).toBe('forbidden');
    });
  });

  test.each([
    ['admin', [], 'enrolling'],
    ['practitioner', [], 'practitioner'],
    ['practitioner', ['payments:refund'], 'enrolling'],
    ['practitioner', ['subscriptions:cancel'], 'practitioner'],
    ['front_desk', ['payments:refund'], 'front_desk'],
    ['billing', [], 'enrolling'],
    ['read_only', [], 'read_only'],
  ] as const)('in production, %s with the options %j signs in as %s', async (role, options, kind) => {
    await bench.services.database.forTenant(tenant.tenantId).tenant.update({
      where: { id: tenant.tenantId },
      data: { practitionerOptions: [...options] },
    });
    const { ctx } = await (await member(role, inProduction())).enter();
    expect(ctx.actor.kind).toBe(kind);
    expect((await getMe(ctx)).two_step_due).toBe(kind === 'enrolling');
  });

  test('is optional for a practitioner, also in production', async () => {
    const { database } = bench.services;
    const where = { id: tenant.tenantId };
    await database.forTenant(where.id).tenant.update({ where, data: { practitionerOptions: [] } });
    const person = await member('practitioner', inProduction());
    const { ctx } = await person.enter();
    expect(ctx.actor.kind).toBe('practitioner');
    const careful = await withTwoStep('practitioner', inProduction());
    const { caller } = await careful.enter(careful.code());
    expect(await rejectionCause(caller.account.turnOffTwoStep({ password: PASSWORD }))).toBe('done');
    expect(
      await rejectionCause(
        createCaller(asPractitioner(bench.services, { id: tenant.tenantId }, careful.id)).account.renewRecoveryCodes({
          password: PASSWORD,
        }),
      ),
    ).toBe('conflict');
  });
});
