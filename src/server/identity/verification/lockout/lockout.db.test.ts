import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, type Registration, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { PASSWORD, signedIn } from '#dev/testing/signed-in.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { createStaffUser } from '../../staff/create-staff-user.ts';
import { portalContext, staffPerson } from '../../staff/lockout/portal-context.ts';
import { signInStaff } from '../../staff/sign-in-staff.ts';
import { clearCounters, failureKeys, uncountAttempt } from '../failures.ts';
import { deviceHash } from '../known-device.ts';
import { personKey } from '../person.ts';

const NEXT = 'another quite long passphrase';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let registration: Registration;
let people = 0;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  registration = register(PASSWORD);
});
afterAll(() => bench?.stop());

type Outcome = { is: string; device?: string | undefined };
/** An account with a password, and ways to try passwords; `device` is the secret of a known device. */
type Account = {
  email: string;
  /** The context and person that its attempts are counted under. */
  counted: { ctx: Context; person: string };
  try(password: string, ip: string, device?: string): Promise<Outcome>;
  /** Concurrent attempts, each from its own source. */
  tryAtOnce(count: number): Promise<Outcome[]>;
  reset(ip: string, password: string): Promise<void>;
};

const outcomeOf = ({ status, body }: TestResponse): Outcome =>
  status === 200 ? { is: 'in', device: body.device } : { is: `${status} ${body.errors[0].code}` };

async function patient(exists: boolean): Promise<Account> {
  const email = `ada${++people}@example.test`;
  const client_id = clinic.credentials;
  const post = (path: string, body: object, ip: string) =>
    bench.post(`/credentials${path}`, { client_id, ...body }, { headers: { 'x-forwarded-for': ip } });
  const finish = (body: object, ip: string) =>
    bench.post('/credentials/srp/finish', body, { headers: { 'x-forwarded-for': ip } });
  if (exists) await signedIn(bench, clinic).byEmail(email);
  // Any wrong proof is the cheapest attempt.
  const M1 = 'ab'.repeat(32);
  const start = (ip: string, device?: string) => post('/srp/start', { email, A: registration.verifier, device }, ip);
  return {
    email,
    counted: { ctx: clinic.ctx, person: personKey(clinic.ctx, email) },
    async try(password, ip, device) {
      if (password === PASSWORD || password === NEXT) {
        const asDevice = { post: (path: string, body: object) => bench.post(path, { ...body, device }, headers(ip)) };
        return outcomeOf(await signInWithPassword(asDevice as never, client_id, email, password));
      }
      const started = await start(ip, device);
      if (started.status !== 200) return outcomeOf(started);
      return outcomeOf(await finish({ handshake: started.body.handshake, M1 }, ip));
    },
    async tryAtOnce(count) {
      const started = await Promise.all(Array.from({ length: count }, (_, n) => start(place(n))));
      return Promise.all(
        started.map(async ({ body }, n) => outcomeOf(await finish({ handshake: body.handshake, M1 }, place(n)))),
      );
    },
    async reset(ip, password) {
      await post('/reset', { email, attempt: ATTEMPT }, ip);
      const code = await bench.codeFor(email);
      const done = await post('/reset/complete', { email, attempt: ATTEMPT, code, srp: register(password) }, ip);
      expect(done.status).toBe(204);
    },
  };
}
const headers = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });

async function member(exists: boolean): Promise<Account> {
  const email = `bo${++people}@example.test`;
  const role = 'practitioner' as const;
  if (exists) await createStaffUser(clinic.ctx, { email, name: 'Bo Example', role, password: PASSWORD });
  const link = (step: string, body: object, ip: string) =>
    bench.call('POST', `/api/links/staffLinks.${step}`, body, headers(ip));
  const tryIt: Account['try'] = async (password, source, device) => {
    const devices = device ? [device] : [];
    const input = { email, password, source, devices };
    return signInStaff(bench.services, input).then(
      (done) => (done && done !== 'code_required' ? { is: 'in', device: done.device ?? undefined } : { is: WRONG }),
      (error) => ({ is: `${error.status} ${error.code}` }),
    );
  };
  const portal = portalContext(bench.services);
  return {
    email,
    counted: { ctx: portal, person: staffPerson(portal, email) },
    try: tryIt,
    tryAtOnce: (count) => Promise.all(Array.from({ length: count }, (_, n) => tryIt('wrong', place(n)))),
    async reset(ip, password) {
      await link('requestReset', { email }, ip);
      await bench.settled();
      // The lockout email is sent at the same time; either may arrive first.
      const links = (await bench.messages(email)).map(({ text }) => /reset-password#(\S+)/.exec(text)?.[1]);
      const token = links.find((link) => link !== undefined);
      expect((await link('use', { token, password }, ip)).status).toBe(200);
    },
  };
}

const WRONG = '401 invalid_credentials';
const CLOSED = '403 sign_in_closed';
const place = (n: number) => `10.${Math.floor(n / 250) % 250}.7.${n % 250}`;
let from = 0;
/** An unused source address. */
const elsewhere = () => `203.${++from >> 8}.113.${from & 255}`;

/** Makes `count` wrong attempts, each from its own source. */
async function wrong(account: Account, count: number): Promise<string[]> {
  const outcomes: string[] = [];
  for (let n = 0; n < count; n++) outcomes.push((await account.try('wrong', elsewhere())).is);
  return outcomes;
}
/**
 * Inserts `failures` earlier wrong attempts in a row, of unknown devices or a known one; real ones cost a password
 * check each.
 */
async function wrongBefore({ counted: { ctx, person } }: Account, failures: number, device?: string): Promise<void> {
  const { tenantId, db, clock } = ctx;
  const keys = failureKeys(ctx, person, { ip: '', device: device ? deviceHash(device) : null });
  const key = device ? keys.deviceInRow : keys.unknownDevicesInRow;
  const values = { failures, failedAt: clock.now(), inRow: true };
  const where = { tenantId_key: { tenantId, key } };
  await db.signInFailure.upsert({ where, create: { tenantId, key, ...values }, update: values });
}
/** Guesses until the lockout. */
async function attackOn(account: Account): Promise<void> {
  await wrongBefore(account, 99);
  expect(await wrong(account, 2)).toEqual([WRONG, CLOSED]);
}
const all = (count: number, outcome: string) => Array<string>(count).fill(outcome);
async function tokenFor(email: string): Promise<string> {
  await bench.settled();
  const links = (await bench.messages(email)).map(({ text }) => /\/new-devices#(\S+)/.exec(text)?.[1]);
  const newest = links.find((token) => token);
  if (!newest) throw new Error(`no link reached ${email}`);
  return newest;
}
const open = (token: string, ip: string) => bench.call('POST', '/api/links/signIn.reopen', { token }, headers(ip));
const mails = async (email: string, subject: RegExp) => {
  await bench.settled();
  return (await bench.messages(email)).filter((mail) => subject.test(mail.subject)).length;
};

describe.each([
  ['a patient', patient],
  ['a member of the team', member],
])('%s', (who, make) => {
  let account: Account;
  beforeEach(async () => {
    account = await make(true);
    // Opening links is rate-limited per source and minute.
    bench.clock.pass(2 * MINUTE);
  });

  test('is locked out on unknown devices only after a hundred wrong passwords in a row', async () => {
    const { device } = await account.try(PASSWORD, '192.0.2.1');
    await attackOn(account);
    expect((await account.try(PASSWORD, elsewhere())).is).toBe(CLOSED);
    expect((await account.try(PASSWORD, elsewhere(), device)).is).toBe('in');
    expect((await account.try(PASSWORD, elsewhere(), 'made.up')).is).toBe(CLOSED);
    bench.clock.pass(30 * DAY);
    expect((await account.try(PASSWORD, elsewhere())).is).toBe(CLOSED);
    expect((await account.try(PASSWORD, elsewhere(), device)).is).toBe('in');
  });

  test('gets the same responses as an account that does not exist', async () => {
    const unknown = await make(false);
    for (const one of [account, unknown]) {
      await wrongBefore(one, 97);
      expect(await wrong(one, 5)).toEqual([...all(3, WRONG), ...all(2, CLOSED)]);
    }
    const [one, other] = [await mails(account.email, /many wrong/), await mails(unknown.email, /./)];
    // A portal address without an account never gets an email.
    if (who === 'a patient') expect([await mails(unknown.email, /someone tried/), other]).toEqual([1, 1]);
    else expect([one, other]).toEqual([1, 0]);
  });

  test('allows a hundred guesses also under concurrent requests', async () => {
    await wrongBefore(account, 90);
    const outcomes = (await account.tryAtOnce(30)).map(({ is }) => is).sort();
    expect(outcomes).toEqual([...all(10, WRONG), ...all(20, CLOSED)].sort());
  });

  test('starts a new row after the right password from an unknown device', async () => {
    await wrongBefore(account, 99);
    expect((await account.try(PASSWORD, elsewhere())).is).toBe('in');
    expect(await wrong(account, 3)).toEqual(all(3, WRONG));
  });

  test('starts a new row a week after the last wrong password, except during a lockout', async () => {
    await wrongBefore(account, 99);
    bench.clock.pass(6 * DAY);
    expect(await wrong(account, 2)).toEqual([WRONG, CLOSED]);
    account = await make(true);
    await wrongBefore(account, 99);
    bench.clock.pass(7 * DAY + SECOND);
    expect(await wrong(account, 2)).toEqual(all(2, WRONG));
  });

  test('is notified once, and again each day while attempts continue', async () => {
    const notices = () => mails(account.email, /many wrong passwords/);
    await wrongBefore(account, 98);
    await wrong(account, 1);
    expect(await notices()).toBe(0);
    await wrong(account, 1);
    expect(await notices()).toBe(1);
    await wrong(account, 2);
    bench.clock.pass(23 * HOUR);
    await wrong(account, 2);
    expect(await notices()).toBe(1);
    bench.clock.pass(2 * HOUR);
    expect(await notices()).toBe(1);
    await wrong(account, 2);
    expect(await notices()).toBe(2);
  });

  test('records a lockout in the audit log once a day, and never for an unknown account', async () => {
    const action = who === 'a patient' ? 'patients.lock_sign_in' : 'account.lock_sign_in';
    const countLockouts = () => clinic.ctx.db.auditEntry.count({ where: { tenantId: clinic.ctx.tenantId, action } });
    const before = await countLockouts();
    await attackOn(account);
    await wrong(account, 2);
    await attackOn(await make(false));
    await bench.settled();
    await expect.poll(countLockouts).toBe(before + 1);
  });

  test('is unlocked by the emailed link once, and the owner signs in during the attack', async () => {
    await attackOn(account);
    const token = await tokenFor(account.email);
    const ownSource = elsewhere();
    expect((await open(token, ownSource)).status).toBe(200);
    expect(outcomeOf(await open(token, ownSource)).is).toBe('422 expired_code');
    expect(await wrong(account, 1)).toEqual([WRONG]);
    await attackOn(account);
    expect((await account.try('wrong', ownSource)).is).toBe(WRONG);
    const { is, device } = await account.try(PASSWORD, ownSource);
    expect(is).toBe('in');
    expect((await account.try(PASSWORD, elsewhere(), device)).is).toBe('in');
    expect((await account.try(PASSWORD, elsewhere())).is).toBe(CLOSED);
    // The owner has already been notified today.
    expect(await mails(account.email, /many wrong passwords/)).toBe(1);
  });

  test('limits the unlocked time to an hour for the source that opened the link, which is valid for three days', async () => {
    await attackOn(account);
    const ownSource = elsewhere();
    await open(await tokenFor(account.email), ownSource);
    await attackOn(account);
    bench.clock.pass(HOUR + SECOND);
    expect((await account.try(PASSWORD, ownSource)).is).toBe(CLOSED);
    bench.clock.pass(DAY);
    await wrong(account, 1);
    const next = await tokenFor(account.email);
    bench.clock.pass(3 * DAY);
    expect(outcomeOf(await open(next, ownSource)).is).toBe('422 expired_code');
    for (const invalidToken of ['nonsense', 'a.b', `${next.split('.')[0]}.AAAA`])
      expect(outcomeOf(await open(invalidToken, ownSource)).is).toBe('422 expired_code');
  });

  test('is unlocked by a reset, and the owner signs in during the attack', async () => {
    const before = await account.try(PASSWORD, '192.0.2.1');
    await attackOn(account);
    const ownSource = elsewhere();
    await account.reset(ownSource, NEXT);
    await attackOn(account);
    expect((await account.try(NEXT, elsewhere(), before.device)).is).toBe(CLOSED);
    expect((await account.try(NEXT, ownSource)).is).toBe('in');
  });

  test('removes a known device after a hundred wrong passwords on it', async () => {
    const { device } = await account.try(PASSWORD, '192.0.2.1');
    await wrongBefore(account, 98, device);
    expect((await account.try('wrong', elsewhere(), device)).is).toBe(WRONG);
    await attackOn(account);
    expect((await account.try('wrong', elsewhere(), device)).is).toBe(WRONG);
    expect((await account.try(PASSWORD, elsewhere(), device)).is).toBe(CLOSED);
    expect(await mails(account.email, /many wrong passwords/)).toBe(1);
  });

  test('throttles a known device at any source, regardless of other devices', async () => {
    const { device } = await account.try(PASSWORD, '192.0.2.1');
    for (let n = 0; n < 5; n++) await account.try('wrong', '192.0.2.1');
    expect((await account.try(PASSWORD, '192.0.2.1')).is).toBe('429 rate_limited');
    for (let n = 0; n < 5; n++) expect((await account.try('wrong', elsewhere(), device)).is).toBe(WRONG);
    expect((await account.try(PASSWORD, elsewhere(), device)).is).toBe('429 rate_limited');
    bench.clock.pass(2 * SECOND);
    expect((await account.try(PASSWORD, elsewhere(), device)).is).toBe('in');
  });

  test('limits guesses per day for an attacker with a thousand addresses', { timeout: 10 * MINUTE }, async () => {
    const ownSource = elsewhere();
    // Without `PROVE`, most attempts are inserted up front.
    const [days, before] = process.env.PROVE ? [7, 0] : [1, 97];
    if (before) await wrongBefore(account, before);
    const perDay: number[] = [];
    for (let day = 0; day < days; day++) {
      let guesses = before;
      // Attempts run one after another; after the lockout nothing is checked, so a few attempts suffice.
      for (let n = before; n < 1000; n++) {
        const { is } = await account.try('wrong', `172.${20 + day}.${n >> 8}.${n & 255}`);
        if (is === WRONG) guesses += 1;
        else if (before && n > 102) break;
      }
      perDay.push(guesses);
      bench.clock.pass(HOUR);
      await open(await tokenFor(account.email), ownSource);
      expect((await account.try(PASSWORD, ownSource)).is).toBe('in');
      bench.clock.pass(DAY);
    }
    const { log } = console;
    log(`${who}, guessed from 1,000 addresses: ${perDay.join(', ')} passwords on ${days} days, opened by mail on each`);
    expect(Math.max(...perDay)).toBe(100);
  });
});

describe.each([
  ['resetting', clearCounters],
  ['uncounting', uncountAttempt],
])('%s the counters of an attempt', (_, change) => {
  test('locks them in the order in which counting does, so that two sign-ins of one person do not block each other', async () => {
    const { ctx } = clinic;
    const { tenantId } = ctx;
    const id = ++people;
    // In the table and by key, the row comes first.
    const [row, wait] = [`a${id}`, `b${id}`];
    const counter = { tenantId, failures: 1, failedAt: ctx.clock.now() };
    await ctx.db.signInFailure.create({ data: { ...counter, key: row } });
    await ctx.db.signInFailure.create({ data: { ...counter, key: wait } });
    const waitingForLock = async () => {
      const [activity] = await bench.services.database.system.$queryRaw<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return activity?.waiting;
    };
    const { changed, locked } = await ctx.db.$transaction(async (tx) => {
      const lock = (key: string) => tx.$queryRaw<object[]>`
        select key from sign_in_failures where tenant_id = ${tenantId}::uuid and key = ${key} for update skip locked`;
      await lock(wait);
      const changed = change(ctx, { wait, row });
      await expect.poll(waitingForLock).toBe(1);
      return { changed, locked: await lock(row) };
    });
    await changed;
    expect(locked).toEqual([{ key: row }]);
  });
});
