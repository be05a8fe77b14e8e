import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressChanges } from '#dev/testing/address-changes.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, newAttempt, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { signedIn } from '#dev/testing/signed-in.ts';
import { DAY } from '#server/core/clock.ts';
import { NO_TENANT, newId } from '#server/core/ids.ts';
import { createLog } from '#server/core/log.ts';
import { issueInvitation, makeTemporaryPassword } from '#server/identity/patients/invitation/issue-invitation.ts';
import { purgeExpired } from './purge-expired.ts';

const NUMBER = '+12025550143';
let bench: SignInBench;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());

test('deletes expired rows of each tenant; the patient and an active session stay', async () => {
  const { ctx, passwordless: client_id } = await bench.tenant();
  const other = await bench.tenant();
  const signUp = (tenantClient: string) =>
    bench.post('/passwordless/sign_up', { client_id: tenantClient, phone_number: NUMBER, attempt: ATTEMPT });
  expect((await signUp(client_id)).status).toBe(202);
  const { body: pendingSignIn } = await bench.post('/passwordless/sign_in', { client_id, phone_number: NUMBER });
  const code = await bench.codeFor(NUMBER);
  const signedIn = await bench.post('/passwordless/complete', { challenge: pendingSignIn.challenge, code });
  expect(signedIn.status).toBe(200);
  await signUp(other.passwordless);
  await bench.post('/passwordless/sign_in', { client_id: other.passwordless, phone_number: NUMBER });

  const counts = async () => ({
    codes: (await ctx.db.oneTimeCode.count()) + (await other.ctx.db.oneTimeCode.count()),
    sends: (await ctx.db.codeSend.count()) + (await other.ctx.db.codeSend.count()),
    sessions: await ctx.db.patientSession.count(),
    refreshTokens: await ctx.db.refreshToken.count(),
    patients: await ctx.db.patient.count(),
  });
  const before = await counts();
  expect(before.codes).toBeGreaterThanOrEqual(2);
  await purgeExpired(bench.services);
  expect(await counts()).toEqual(before);

  bench.clock.pass(DAY + 10 * 60_000);
  await purgeExpired(bench.services);
  expect(await counts()).toEqual({ codes: 0, sends: 0, sessions: 1, refreshTokens: 1, patients: 1 });
  expect((await bench.refresh(client_id, signedIn.body.refresh_token)).status).toBe(200);

  bench.clock.pass(31 * DAY);
  await purgeExpired(bench.services);
  expect(await counts()).toMatchObject({ sessions: 1, refreshTokens: 0 });
  bench.clock.pass(90 * DAY);
  await purgeExpired(bench.services);
  expect(await counts()).toMatchObject({ sessions: 0, patients: 1 });
});

test('deletes idempotency keys after a day', async () => {
  const { ctx } = await bench.tenant();
  const now = bench.clock.now().getTime();
  const storeKey = (key: string, age: number) =>
    ctx.db.idempotencyKey.create({
      data: {
        tenantId: ctx.tenantId,
        credential: 'Application:one',
        key,
        requestHash: key,
        lockedAt: new Date(now - age),
        createdAt: new Date(now - age),
      },
    });
  await storeKey('old', DAY);
  await storeKey('young', DAY - 60_000);
  await purgeExpired(bench.services);
  expect((await ctx.db.idempotencyKey.findMany()).map(({ key }) => key)).toEqual(['young']);
});

test('deletes a draft of a note 30 days after its last change', async () => {
  const { ctx } = await bench.tenant();
  const { tenantId } = ctx;
  const patientId = newId();
  await ctx.db.patient.create({ data: { id: patientId, tenantId } });
  const store = (targetId: string, age: number) =>
    ctx.db.noteDraft.create({
      data: {
        ...{ id: newId(), tenantId, patientId, staffUserId: newId(), targetType: 'patient', targetId },
        ...{ body: Buffer.from('x'), updatedAt: new Date(bench.clock.now().getTime() - age) },
      },
    });
  const [old, young] = [newId(), newId()];
  await store(old, 30 * DAY + 60_000);
  await store(young, 30 * DAY - 60_000);
  await purgeExpired(bench.services);
  expect((await ctx.db.noteDraft.findMany()).map(({ targetId }) => targetId)).toEqual([young]);
});

test('confirms a pending sign-up after days by a new code, with the device’s last password', async () => {
  const { ctx, credentials: client_id } = await bench.tenant();
  const account = { client_id, email: 'maple@example.test', attempt: newAttempt() };
  const [first, last, otherPassword] = [
    'correct horse battery staple',
    'another quite long passphrase',
    'not theirs at all',
  ];
  const signUp = (password: string, more = {}) =>
    bench.post('/credentials/sign_up', { ...account, ...more, srp: register(password) });
  await signUp(first);
  bench.clock.pass(60_000);
  await signUp(last);
  bench.clock.pass(61_000);
  await signUp(otherPassword, { attempt: newAttempt() });
  bench.clock.pass(3 * DAY);
  await purgeExpired(bench.services);
  expect((await bench.post('/credentials/resend', account)).status).toBe(202);
  const code = await bench.codeFor(account.email);
  expect((await bench.post('/credentials/confirm', { ...account, code })).status).toBe(204);
  for (const wrong of [first, otherPassword])
    expect((await signInWithPassword(bench, client_id, account.email, wrong)).status).toBe(401);
  expect((await signInWithPassword(bench, client_id, account.email, last)).status).toBe(200);
  bench.clock.pass(3 * DAY);
  await purgeExpired(bench.services);
  expect(await ctx.db.oneTimeCode.count()).toBe(0);
});

test('logs one tenant’s failure, continues with the others, and limits the rows per statement', async () => {
  const [failing, other] = [await bench.tenant(), await bench.tenant()];
  const owner = new pg.Client({ connectionString: bench.database.ownerUrl });
  await owner.connect();
  await owner.query('create table deleted (rows int)');
  await owner.query(`
    create function note_deleted() returns trigger language plpgsql security definer as $$ begin
      if exists (select from gone where tenant_id = '${failing.ctx.tenantId}') then raise 'not these'; end if;
      insert into deleted select count(*) from gone;
      return null;
    end $$;
    create trigger note_deleted after delete on inbound_events referencing old table as gone
      for each statement execute function note_deleted();`);
  for (const { ctx } of [failing, other])
    await owner.query(
      `insert into inbound_events (tenant_id, provider, id, event_type, object_id, processed_at)
       select $1, 'stripe', n::text, '', '', now() - interval '1 year' from generate_series(1, 2500) n`,
      [ctx.tenantId],
    );
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  await purgeExpired({ ...bench.services, log });
  expect(await failing.ctx.db.inboundEvent.count()).toBe(2500);
  expect(await other.ctx.db.inboundEvent.count()).toBe(0);
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50)).toMatchObject([
    { tenantId: failing.ctx.tenantId, err: expect.stringContaining('not these') },
  ]);
  const { rows } = await owner.query('select rows from deleted where rows > 0 order by rows desc');
  expect(rows.map((row) => row.rows)).toEqual([1000, 1000, 500]);
  await owner.query('drop trigger note_deleted on inbound_events');
  await owner.end();
});

test('deletes permanently failed jobs after 90 days', async () => {
  const { system } = bench.services.database;
  const failed = (name: string, days: number) => system.$executeRaw`
    insert into graphile_worker._private_jobs (task_id, payload, run_at, attempts, max_attempts)
    select id, ${JSON.stringify({ name })}::json, ${bench.clock.now()}::timestamptz - ${days} * interval '1 day', 1, 1
    from graphile_worker._private_tasks where identifier = 'send_mail'`;
  await failed('old', 91);
  await failed('young', 89);
  await purgeExpired(bench.services);
  const names = async () =>
    (
      await system.$queryRaw<{ name: string }[]>`
        select payload->>'name' as name from graphile_worker._private_jobs where attempts >= max_attempts`
    ).map(({ name }) => name);
  expect(await names()).toEqual(['young']);
  await system.$executeRaw`delete from graphile_worker._private_jobs`;
});

test('deletes unconfirmed sign-ups after 90 days, and temporary passwords when they expire', async () => {
  const { ctx, credentials: client_id } = await bench.tenant();
  const account = { client_id, email: 'willow@example.test', attempt: newAttempt() };
  await bench.post('/credentials/sign_up', { ...account, srp: register('correct horse battery staple') });
  bench.clock.pass(89 * DAY);
  await purgeExpired(bench.services);
  await bench.post('/credentials/resend', account);
  const patientId = newId();
  await ctx.db.patient.create({ data: { id: patientId, tenantId: ctx.tenantId, email: 'oak@example.test' } });
  const temporary = await makeTemporaryPassword(bench.services);
  await ctx.db.$transaction((tx) =>
    issueInvitation(tx, ctx, { patientId, email: 'oak@example.test', url: bench.url, temporary }),
  );
  const remaining = async () => ({
    attempts: await ctx.db.signUpAttempt.count(),
    invitations: await ctx.db.patientSignIn.count({ where: { invitation: { not: null } } }),
  });
  bench.clock.pass(6 * DAY);
  await purgeExpired(bench.services);
  expect(await remaining()).toEqual({ attempts: 1, invitations: 1 });
  bench.clock.pass(2 * DAY);
  await purgeExpired(bench.services);
  expect(await remaining()).toEqual({ attempts: 1, invitations: 0 });
  bench.clock.pass(83 * DAY);
  await purgeExpired(bench.services);
  expect(await remaining()).toEqual({ attempts: 0, invitations: 0 });
});

test('deletes a former address a week after its change can no longer be undone', async () => {
  const clinic = await bench.tenant();
  const people = signedIn(bench, clinic, 'moved');
  const moved = addressChanges(bench, people);
  const patient = await people.byPhone();
  const link = await moved.move(patient, people.newNumber());
  const countChanges = () => clinic.ctx.db.addressChange.count();
  bench.clock.pass(4 * DAY);
  await purgeExpired(bench.services);
  expect([await countChanges(), (await moved.open(link)).body.state]).toEqual([1, 'over']);
  bench.clock.pass(7 * DAY);
  await purgeExpired(bench.services);
  expect([await countChanges(), (await moved.open(link)).status]).toEqual([0, 404]);
});

test('deletes counts of wrong passwords after a day, consecutive ones after a week, and no lockouts', async () => {
  const { ctx } = await bench.tenant();
  const portal = bench.services.database.forTenant(NO_TENANT);
  const count = async (db: typeof portal, tenantId: string) => {
    const failedAt = bench.clock.now();
    const rows = [{ key: 'source' }, { key: 'row', inRow: true }, { key: 'closed', inRow: true, closedAt: failedAt }];
    await db.signInFailure.createMany({ data: rows.map((row) => ({ tenantId, failures: 5, failedAt, ...row })) });
  };
  await count(ctx.db, ctx.tenantId);
  await count(portal, NO_TENANT);
  const remainingKeys = async () => {
    await purgeExpired(bench.services);
    const of = async (db: typeof portal) => (await db.signInFailure.findMany()).map(({ key }) => key).sort();
    return [await of(ctx.db), await of(portal)];
  };
  bench.clock.pass(DAY + 60_000);
  expect(await remainingKeys()).toEqual(Array(2).fill(['closed', 'row']));
  bench.clock.pass(6 * DAY);
  expect(await remainingKeys()).toEqual(Array(2).fill(['closed']));
  bench.clock.pass(100 * DAY);
  expect(await remainingKeys()).toEqual(Array(2).fill(['closed']));
});

test('deletes availability that is in the past, or too old to be offered', async () => {
  const { ctx } = await bench.tenant();
  const now = bench.clock.now().getTime();
  const dayAhead = (days: number) => new Date(now + days * DAY).toISOString().slice(0, 10);
  const row = { tenantId: ctx.tenantId, appointmentTypeId: 1, startsAt: [], staleAt: new Date(0) };
  await ctx.db.availabilityDay.createMany({
    data: [
      { ...row, calendarId: 1, day: dayAhead(-4), fetchedAt: new Date(now) },
      { ...row, calendarId: 2, day: dayAhead(300), fetchedAt: new Date(now - 3 * DAY) },
      { ...row, calendarId: 3, day: dayAhead(300), fetchedAt: new Date(now - DAY) },
      { ...row, calendarId: 4, day: dayAhead(300), fetchedAt: new Date(0) },
    ],
  });
  await purgeExpired(bench.services);
  const rows = await ctx.db.availabilityDay.findMany({ orderBy: { calendarId: 'asc' } });
  expect(rows.map(({ calendarId }) => calendarId)).toEqual([3, 4]);
});
