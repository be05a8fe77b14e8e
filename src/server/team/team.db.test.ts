import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { dumpDatabase, findCanaries } from '#dev/testing/canaries.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { DAY, HOUR, MINUTE } from '../core/clock.ts';
import { type Context, contextFor } from '../core/context.ts';
import { newId, newLinkToken } from '../core/ids.ts';
import { createCallerFactory, router } from '../core/trpc.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';
import { hashPassword } from '../identity/staff/password.ts';
import { setStaffPassword } from '../identity/staff/set-staff-password.ts';
import { signInStaff } from '../identity/staff/sign-in-staff.ts';
import { staffActor } from '../identity/staff/staff-actor.ts';
import { accountRouter, staffLinksRouter, teamRouter } from './router.ts';

const PASSWORD = 'correct horse battery';
const createCaller = createCallerFactory(
  router({ account: accountRouter, team: teamRouter, staffLinks: staffLinksRouter }),
);

describe('the team', () => {
  let bench: SignInBench;
  let tenant: Context;
  let userCount = 0;

  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    tenant = (await bench.tenant()).ctx;
  });
  afterAll(() => bench?.stop());

  const nextEmail = () => {
    userCount += 1;
    return `ada${userCount}@example.test`;
  };
  async function addTo(ctx: Context, role: 'admin' | 'practitioner' = 'practitioner') {
    const email = nextEmail();
    const { id } = await createStaffUser(ctx, { email, name: `Ada Example ${userCount}`, role, password: PASSWORD });
    return { id, email };
  }
  const add = (role?: 'admin' | 'practitioner') => addTo(tenant, role);
  const callerOf = (ctx: Context) => createCaller(ctx);
  const adminOf = async (ctx = tenant) => {
    const { id } = await addTo(ctx, 'admin');
    return { id, caller: callerOf(asAdmin(bench.services, { id: ctx.tenantId }, id)) };
  };
  const enter = async (email: string, password = PASSWORD) => {
    userCount += 1;
    return signInStaff(bench.services, { email, password, source: `192.0.2.${userCount}` });
  };
  async function sessionOf(email: string) {
    const session = await enter(email);
    if (session === null || session === 'code_required') throw new Error(`not signed in: ${session}`);
    return session;
  }
  const rejection = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error) => error.cause?.code ?? error,
    );
  const rejections = (calls: Promise<unknown>[]) => Promise.all(calls.map(rejection));
  async function tokenFor(email: string): Promise<string> {
    await bench.settled();
    const [newest] = await bench.messages(email);
    const [, token] = newest?.text.match(/\/(?:join|reset-password)#(\S+)/) ?? [];
    if (!token) throw new Error(`no link reached ${email}`);
    return token;
  }
  /** Calls the links endpoint from a browser without a session. */
  const link = (step: string, body: object) => bench.call('POST', `/api/links/staffLinks.${step}`, body);
  const codeOf = ({ body }: { body: { errors?: { code: string }[] } }) => body.errors?.[0]?.code ?? 'done';

  describe('an invitation', () => {
    async function invited(role: 'admin' | 'practitioner' = 'practitioner') {
      const { caller } = await adminOf();
      const email = nextEmail();
      const member = await caller.team.invite({ email: email.toUpperCase(), name: 'Bo Example', role });
      return { caller, email, member, token: await tokenFor(email) };
    }

    test('lets an invited user join with their own name and password, once', async () => {
      const { caller, email, member, token } = await invited();
      expect(member).toMatchObject({ email, status: 'invited', role: 'practitioner', last_signed_in_at: null });
      expect(Date.parse(member.invitation_expires_at!) - bench.clock.now().getTime()).toBeCloseTo(7 * DAY, -5);
      expect(await enter(email)).toBeNull();
      expect((await link('open', { token })).body).toEqual({
        purpose: 'invitation',
        email,
        name: 'Bo Example',
        clinic: 'Riverbend Clinic',
      });
      const join = () => link('use', { token, name: 'Bo Sample', password: PASSWORD });
      const both = (await Promise.all([join(), join()])).map(codeOf);
      expect(both.sort()).toEqual(['done', 'expired_code']);
      expect(codeOf(await link('open', { token }))).toBe('expired_code');
      expect(await enter(email)).toMatchObject({ userId: member.id, name: 'Bo Sample' });
      const list = await caller.team.list();
      expect(list.find(({ id }) => id === member.id)).toMatchObject({
        name: 'Bo Sample',
        status: 'active',
        invitation_expires_at: null,
        last_signed_in_at: expect.any(String),
      });
      for (const change of ['resend', 'withdraw'] as const)
        expect(await rejection(caller.team[change]({ id: member.id }))).toBe('conflict');
    });

    test('rejects a weak password with the reason', async () => {
      const { token, email } = await invited();
      for (const password of ['short', 'password1234', `I am ${email.split('@')[0]} here`, 'x'.repeat(300)]) {
        const { status, body } = await link('use', { token, password });
        expect([status, body.errors[0]]).toMatchObject([
          422,
          { code: 'invalid_parameter', source: { pointer: '/password' } },
        ]);
      }
      for (const body of [
        { token },
        { token, password: PASSWORD, name: '' },
        { token, password: PASSWORD, role: 'admin' },
      ])
        expect(codeOf(await link('use', body))).toMatch(/_parameter$/);
      expect(codeOf(await link('use', { token, password: PASSWORD }))).toBe('done');
    });

    test('expires after seven days', async () => {
      const { token, caller, member, email } = await invited();
      bench.clock.pass(7 * DAY + MINUTE);
      expect(codeOf(await link('open', { token }))).toBe('expired_code');
      expect(codeOf(await link('use', { token, password: PASSWORD }))).toBe('expired_code');
      await caller.team.resend({ id: member.id });
      expect(codeOf(await link('use', { token: await tokenFor(email), password: PASSWORD }))).toBe('done');
    });

    test('is replaced when it is sent again', async () => {
      const { token, caller, member, email } = await invited();
      await caller.team.resend({ id: member.id });
      expect(codeOf(await link('open', { token }))).toBe('expired_code');
      expect(codeOf(await link('open', { token: await tokenFor(email) }))).toBe('done');
    });

    test('is withdrawn without a trace, and may be sent again', async () => {
      const { token, caller, member, email } = await invited();
      await caller.team.withdraw({ id: member.id });
      expect(codeOf(await link('use', { token, password: PASSWORD }))).toBe('expired_code');
      expect((await caller.team.list()).map(({ id }) => id)).not.toContain(member.id);
      expect(await bench.services.database.tenantsOf(`staff:${email}`)).toEqual([]);
      expect(await rejection(caller.team.invite({ email, name: 'Bo Example', role: 'admin' }))).toBe('done');
    });

    test('is rejected for an email that is in the team already', async () => {
      const { caller, email } = await invited();
      const existing = await add();
      for (const takenEmail of [email, existing.email.toUpperCase()])
        expect(await rejection(caller.team.invite({ email: takenEmail, name: 'Bo Example', role: 'admin' }))).toBe(
          'email_taken',
        );
      expect(await rejection(caller.team.disable({ id: (await invited()).member.id }))).toBe('conflict');
    });

    test('does not store its token in the database', async () => {
      const { token } = await invited();
      const leaks = findCanaries(
        new Map([['token', token.split('.')[1]!]]),
        await dumpDatabase(bench.database.ownerUrl),
      );
      expect(leaks).toEqual([]);
    });
  });

  test('rejects an invented, malformed or other tenant’s token', async () => {
    const other = (await bench.tenant()).ctx;
    for (const token of [newLinkToken(tenant.tenantId), newLinkToken(other.tenantId), newLinkToken(newId())])
      expect(codeOf(await link('open', { token }))).toBe('expired_code');
    for (const token of ['', 'garbage', 'a.b']) expect(codeOf(await link('open', { token }))).toBe('not_found');
    expect(codeOf(await link('open', {}))).toBe('missing_parameter');
    expect(codeOf(await link('toString', { token: 'a.b' }))).toBe('route_not_found');
  });

  describe('a forgotten password', () => {
    const forgot = (email: string) => link('requestReset', { email });

    test('is replaced through a link, which ends every session and works once', async () => {
      const { email, id } = await add();
      const before = await sessionOf(email);
      expect(await forgot(email.toUpperCase())).toMatchObject({ status: 200, body: {} });
      const token = await tokenFor(email);
      expect((await link('open', { token })).body).toMatchObject({ purpose: 'reset', email });
      const use = () => link('use', { token, password: 'another long password' });
      expect((await Promise.all([use(), use()])).map(codeOf).sort()).toEqual(['done', 'expired_code']);
      await expect.poll(() => staffActor(bench.services, before), { timeout: 3000 }).toBeNull();
      expect(await enter(email)).toBeNull();
      expect(await enter(email, 'another long password')).toMatchObject({ userId: id });
      await bench.settled();
      expect((await bench.messages(email))[0]?.subject).toContain('your password for the portal was changed');
    });

    test('gets the same response for known, unknown, invited and disabled addresses', async () => {
      const { caller } = await adminOf();
      const [active, disabled] = [await add(), await add()];
      await caller.team.disable({ id: disabled.id });
      const invitedEmail = nextEmail();
      await caller.team.invite({ email: invitedEmail, name: 'Bo Example', role: 'admin' });
      await bench.settled();
      const mails = async (email: string) => (await bench.messages(email)).length;
      const before = await Promise.all([disabled.email, invitedEmail].map(mails));
      const responses = [];
      for (const email of [active.email, nextEmail(), invitedEmail, disabled.email])
        responses.push(await forgot(email));
      for (const { status, body, headers } of responses) {
        expect([status, body]).toEqual([200, {}]);
        expect([...headers.keys()].sort()).toEqual([...responses[0]!.headers.keys()].sort());
      }
      await bench.settled();
      expect(await Promise.all([disabled.email, invitedEmail].map(mails))).toEqual(before);
      expect(await mails(active.email)).toBe(1);
    });

    test('keeps the mailed link valid when others request one', async () => {
      const { email } = await add();
      const from = (place: string) =>
        bench.call('POST', '/api/links/staffLinks.requestReset', { email }, { headers: { 'x-forwarded-for': place } });
      await from('192.0.2.210');
      const token = await tokenFor(email);
      bench.clock.pass(44 * MINUTE);
      await from('198.51.100.210');
      expect(await tokenFor(email)).toBe(token);
      bench.clock.pass(2 * MINUTE);
      // Too little of its lifetime is left to mail it again.
      await from('198.51.100.211');
      const next = await tokenFor(email);
      expect(next).not.toBe(token);
      expect(codeOf(await link('use', { token: next, password: 'another long password' }))).toBe('done');
      await from('198.51.100.212');
      expect(codeOf(await link('open', { token: next }))).toBe('expired_code');
    });

    test('limits requests for known and unknown addresses alike; unauthenticated clients do not delay others', async () => {
      const from = (place: string) => (email: string) =>
        bench.call('POST', '/api/links/staffLinks.requestReset', { email }, { headers: { 'x-forwarded-for': place } });
      for (const email of [(await add()).email, nextEmail()]) {
        const [own, otherClient] = [from('192.0.2.200'), from('198.51.100.200')];
        expect([codeOf(await own(email)), codeOf(await own(email))]).toEqual(['done', 'rate_limited']);
        bench.clock.pass(MINUTE);
        expect([codeOf(await own(email)), codeOf(await own(email))]).toEqual(['done', 'rate_limited']);
        expect([codeOf(await otherClient(email)), codeOf(await otherClient(email))]).toEqual(['done', 'rate_limited']);
        bench.clock.pass(DAY);
        expect(codeOf(await own(email))).toBe('done');
        await bench.settled();
      }
      // To the start of a later minute, in which all of them are counted.
      bench.clock.pass(HOUR + MINUTE - (bench.clock.now().getTime() % MINUTE));
      const codes = [];
      for (let n = 0; n < 21; n += 1) codes.push(codeOf(await forgot(nextEmail())));
      expect([codes.indexOf('rate_limited'), codes.length]).toEqual([20, 21]);
      const { status, headers } = await forgot(nextEmail());
      expect([status, Number(headers.get('retry-after'))]).toEqual([
        429,
        expect.toSatisfy((wait) => wait > 0 && wait <= 60),
      ]);
    });

    test('still needs the second step, and its link expires after an hour', async () => {
      bench.clock.pass(HOUR);
      const { email } = await add();
      await forgot(email);
      const token = await tokenFor(email);
      bench.clock.pass(HOUR + MINUTE);
      expect(codeOf(await link('use', { token, password: 'another long password' }))).toBe('expired_code');
    });
  });

  describe('a change of the team', () => {
    test('of the role ends the sessions of that member', async () => {
      const { caller } = await adminOf();
      const { id, email } = await add();
      const session = await sessionOf(email);
      expect(await caller.team.changeRole({ id, role: 'admin' })).toMatchObject({ role: 'admin' });
      expect(await staffActor(bench.services, session)).toBeNull();
      expect(await staffActor(bench.services, await sessionOf(email))).toMatchObject({ kind: 'admin' });
    });

    test('disables a member at once, and enables them again', async () => {
      const { caller } = await adminOf();
      const { id, email } = await add();
      const session = await sessionOf(email);
      expect(await caller.team.disable({ id })).toMatchObject({ status: 'disabled' });
      expect(await staffActor(bench.services, session)).toBeNull();
      expect(await enter(email)).toBeNull();
      expect(await caller.team.enable({ id })).toMatchObject({ status: 'active' });
      expect(await staffActor(bench.services, session)).toBeNull();
      expect(await enter(email)).toMatchObject({ userId: id });
    });

    test('is rejected for the caller’s own account and for the last admin', async () => {
      const clinic = (await bench.tenant()).ctx;
      const { id, caller } = await adminOf(clinic);
      const calls = [
        caller.team.changeRole({ id, role: 'practitioner' }),
        caller.team.disable({ id }),
        caller.team.resetTwoStep({ id }),
      ];
      expect(await rejections(calls)).toEqual(calls.map(() => 'conflict'));
      const system = callerOf(clinic);
      expect(await rejection(system.team.disable({ id }))).toBe('conflict');
      expect(await rejection(system.team.changeRole({ id, role: 'practitioner' }))).toBe('conflict');
      await caller.team.invite({ email: nextEmail(), name: 'Bo Example', role: 'admin' });
      expect(await rejection(system.team.disable({ id }))).toBe('conflict');
      expect((await caller.team.list()).find((member) => member.id === id)).toMatchObject({ status: 'active' });
    });

    test('leaves one of two admins who remove each other concurrently', async () => {
      for (let round = 0; round < (process.env.PROVE ? 5 : 2); round += 1) {
        const clinic = (await bench.tenant()).ctx;
        const [one, two] = [await adminOf(clinic), await adminOf(clinic)];
        const outcomes = await Promise.all([
          rejection(one.caller.team.disable({ id: two.id })),
          rejection(two.caller.team.changeRole({ id: one.id, role: 'practitioner' })),
        ]);
        expect(outcomes.sort()).toEqual(['done', 'forbidden']);
      }
    });

    test('is limited to admins of the same clinic', async () => {
      const { id } = await add();
      const ownTenant = { id: tenant.tenantId };
      const otherAdmin = await adminOf((await bench.tenant()).ctx);
      const changes = (caller: ReturnType<typeof createCaller>) => [
        caller.team.resend({ id }),
        caller.team.withdraw({ id }),
        caller.team.changeRole({ id, role: 'admin' as const }),
        caller.team.disable({ id }),
        caller.team.enable({ id }),
        caller.team.resetTwoStep({ id }),
      ];
      for (const ctx of [
        asPractitioner(bench.services, ownTenant),
        asPatient(bench.services, ownTenant, newId()),
        asApplication(bench.services, ownTenant, ['patients:read', 'patients:write']),
        contextFor(bench.services, { kind: 'visitor', tenantId: tenant.tenantId }),
      ]) {
        const caller = callerOf(ctx);
        const invite = caller.team.invite({ email: nextEmail(), name: 'Bo Example', role: 'admin' });
        const calls = [caller.team.list(), invite, ...changes(caller)];
        expect(await rejections(calls)).toEqual(calls.map(() => 'forbidden'));
      }
      const otherCalls = changes(otherAdmin.caller);
      expect(await rejections(otherCalls)).toEqual(otherCalls.map(() => 'not_found'));
      expect((await otherAdmin.caller.team.list()).map((member) => member.id)).toEqual([otherAdmin.id]);
    });

    test('is audited', async () => {
      const { caller, id: by } = await adminOf();
      const { id, email } = await add();
      await sessionOf(email);
      await caller.team.changeRole({ id, role: 'admin' });
      await caller.team.disable({ id });
      await caller.team.enable({ id });
      const entries = await tenant.db.auditEntry.findMany({ where: { objectId: id }, orderBy: { position: 'asc' } });
      expect(entries.map(({ action, actorId }) => [action, actorId])).toEqual([
        ['team.create', 'test'],
        ['account.sign_in', id],
        ['team.change_role', by],
        ['team.disable', by],
        ['team.enable', by],
      ]);
    });
  });

  describe('the caller’s own account', () => {
    const accountOf = async (email: string) => {
      const session = await sessionOf(email);
      const actor = await staffActor(bench.services, session);
      return { session, caller: callerOf(contextFor(bench.services, actor!)) };
    };

    test('changes the password with the old one, and ends the other sessions', async () => {
      const { email } = await add();
      const other = await sessionOf(email);
      const { session, caller } = await accountOf(email);
      const change = (current_password: string, new_password: string) =>
        caller.account.changePassword({ current_password, new_password });
      await expect(change('wrong', 'another long password')).rejects.toMatchObject({
        cause: { faults: [{ code: 'invalid_parameter', source: { pointer: '/current_password' } }] },
      });
      await expect(change(PASSWORD, 'password1234')).rejects.toMatchObject({
        cause: { faults: [{ code: 'invalid_parameter', source: { pointer: '/new_password' } }] },
      });
      await expect(change('wrong', 'short')).rejects.toMatchObject({
        cause: {
          faults: [{ source: { pointer: '/current_password' } }, { source: { pointer: '/new_password' } }],
        },
      });
      await change(PASSWORD, 'another long password');
      expect(await staffActor(bench.services, other)).toBeNull();
      expect(await staffActor(bench.services, session)).not.toBeNull();
      expect(await enter(email)).toBeNull();
      expect(await enter(email, 'another long password')).not.toBeNull();
    });

    test('rejects a change with a verified password that its owner has just replaced', async () => {
      const { id, email } = await add();
      const { caller } = await accountOf(email);
      const passwordHash = await hashPassword('the owner’s long password');
      const waitingForRow = async () => {
        const [row] = await bench.services.database.system.$queryRaw<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return row?.waiting;
      };
      const change = await tenant.db.$transaction(async (tx) => {
        await tx.$queryRaw`select 1 from staff_users where id = ${id}::uuid for update`;
        const input = { current_password: PASSWORD, new_password: 'the thief’s long password' };
        const response = rejection(caller.account.changePassword(input));
        // The change has verified the password and waits for the row.
        await expect.poll(waitingForRow).toBe(1);
        await setStaffPassword(tx, tenant, { id, email }, { passwordHash, action: 'account.reset_password' });
        return { response };
      });
      expect(await change.response).toBe('invalid_parameter');
      expect(await enter(email, 'the thief’s long password')).toBeNull();
      expect(await enter(email, 'the owner’s long password')).not.toBeNull();
    });

    test('throttles guesses by the holder of its session', async () => {
      const { email } = await add();
      const { session } = await accountOf(email);
      // The first wait is one second; password checks on a slow machine may take as long.
      const at = bench.clock.now();
      const still = { ...bench.services, clock: { now: () => at } };
      const caller = callerOf(contextFor(still, (await staffActor(bench.services, session))!));
      const guess = () =>
        rejection(caller.account.changePassword({ current_password: 'wrong', new_password: 'another long password' }));
      const responses = await Promise.all(Array.from({ length: 12 }, guess));
      expect(responses.filter((response) => response === 'invalid_parameter')).toHaveLength(5);
      expect(responses.filter((response) => response === 'rate_limited')).toHaveLength(7);
    });

    test('signs out everywhere, without affecting other users', async () => {
      const [member, other] = [await add(), await add()];
      const otherSession = await sessionOf(other.email);
      const first = await sessionOf(member.email);
      const { session, caller } = await accountOf(member.email);
      await caller.account.signOutEverywhere();
      for (const ended of [first, session]) expect(await staffActor(bench.services, ended)).toBeNull();
      expect(await staffActor(bench.services, otherSession)).not.toBeNull();
    });

    test('can be renamed by its owner', async () => {
      const { email } = await add();
      const { caller } = await accountOf(email);
      await caller.account.rename({ name: 'Cleo Example' });
      expect(await caller.account.get()).toMatchObject({ name: 'Cleo Example', email, role: 'practitioner' });
    });
  });
});
