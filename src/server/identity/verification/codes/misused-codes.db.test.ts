import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, signInPatient } from '#dev/testing/signed-in.ts';
import { HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { configurationToken } from '../../applications/public-client.ts';
import { beginSession } from '../../sessions/begin-session.ts';
import { issueTokens } from '../../sessions/issue-tokens.ts';

const srp = register('correct horse battery staple');
/** Without `PROVE`, each misuse and each race runs for two of the purposes, so that every purpose has some of them. */
const LONG = Boolean(process.env.PROVE);
const GUESSES = LONG ? 200 : 10;
const PURPOSES_EACH = 3;
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const ok = ({ status }: TestResponse) => status === 200 || status === 204;

type Tenant = Awaited<ReturnType<SignInBench['tenant']>>;
/** A person with a pending code: `submit` presents a code, `requestAnother` requests another one. */
type PendingCode = {
  code: string;
  submit(code: string): Promise<TestResponse>;
  /** Null where each request has its own code and none replaces another. */
  requestAnother: (() => Promise<string>) | null;
  /** Gets a new access token when a day has passed. */
  renew?(): Promise<void>;
  /** The same step by another app, at another clinic, for another account. */
  elsewhere: Record<'app' | 'clinic' | 'account', (code: string) => Promise<TestResponse>>;
};

let bench: SignInBench;
let clinic: Tenant;
let hillside: Tenant;
let count = 0;
const newEmail = () => `ada${++count}@example.test`;
const newNumber = () => `+1202555${String(1000 + ++count)}`;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  hillside = await bench.tenant();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  clinic = await bench.tenant();
});

const post = (path: string, body: object, token?: string) => bench.post(path, body, { ...(token && { token }) });

/** Creates another app of the same flow and clinic. */
async function secondApp({ ctx }: Tenant, flow: 'credentials' | 'passwordless'): Promise<string> {
  const id = newId();
  const { tenantId } = ctx;
  await ctx.db.application.create({
    data: { id, tenantId, kind: flow, name: 'Another app', scopes: [], tokensValidAfter: new Date(0) },
  });
  await ctx.db.tenantRoute.create({ data: { key: `client:${id}`, tenantId } });
  expect(configurationToken(ctx, flow, id)).toContain('care_sandbox_');
  return id;
}

async function signIn(): Promise<PendingCode> {
  const start = async (tenant: Tenant) => {
    const request = { client_id: tenant.passwordless, phone_number: newNumber() };
    await post('/passwordless/sign_up', { ...request, attempt: ATTEMPT });
    const { challenge } = (await post('/passwordless/sign_in', request)).body;
    return { request, challenge, code: await bench.codeFor(request.phone_number) };
  };
  const started = await start(clinic);
  const submit = (challenge: string) => (code: string) => post('/passwordless/complete', { challenge, code });
  const moved = `${Buffer.from(hillside.ctx.tenantId.replaceAll('-', ''), 'hex').toString('base64url')}.`;
  return {
    code: started.code,
    submit: submit(started.challenge),
    requestAnother: null,
    elsewhere: {
      app: submit(started.challenge.slice(0, -1).concat(started.challenge.endsWith('A') ? 'B' : 'A')),
      clinic: submit(moved + started.challenge.split('.')[1]),
      account: async (code) => submit((await start(clinic)).challenge)(code),
    },
  };
}

function byMail(requestCode: string, response: string, more: object) {
  return async (): Promise<PendingCode> => {
    const start = async (tenant: Tenant) => {
      const request = { client_id: tenant.credentials, email: newEmail(), attempt: ATTEMPT };
      await post('/credentials/sign_up', { ...request, srp });
      if (requestCode === '/credentials/reset') {
        await post('/credentials/confirm', { ...request, code: await bench.codeFor(request.email) });
        bench.clock.pass(31 * SECOND);
        await post(requestCode, request);
      }
      return { request, code: await bench.codeFor(request.email) };
    };
    const { request, code } = await start(clinic);
    const submit = (as: object) => (enteredCode: string) =>
      post(response, { ...request, ...as, ...more, code: enteredCode });
    return {
      code,
      submit: submit({}),
      async requestAnother() {
        await post(requestCode === '/credentials/reset' ? requestCode : '/credentials/resend', request);
        return bench.codeFor(request.email);
      },
      elsewhere: {
        app: async (enteredCode) => submit({ client_id: await secondApp(clinic, 'credentials') })(enteredCode),
        clinic: submit({ client_id: hillside.credentials }),
        account: async (enteredCode) => submit((await start(clinic)).request)(enteredCode),
      },
    };
  };
}

/** Where a signed-in patient requests and presents a code, and with which body. */
const OF_SESSION = {
  email: { requestCode: 'PATCH /user/email', body: (email: string) => ({ email }), submit: '/user/email/verify' },
  phone: {
    requestCode: 'PATCH /user/phone',
    body: (phone_number: string) => ({ phone_number }),
    submit: '/user/phone/verify',
  },
  proof: { requestCode: 'POST /user/proof/code', body: () => ({}), submit: '/user/proof' },
};

function bySession(kind: keyof typeof OF_SESSION) {
  const step = OF_SESSION[kind];
  const [method, path] = step.requestCode.split(' ') as [string, string];
  // A proof is the result of this step, so it is not sent with it.
  const shown = (device: string | undefined) => (kind === 'proof' ? {} : { device });
  return async (): Promise<PendingCode> => {
    const start = async ({ ctx }: Tenant) => {
      const id = newId();
      const { tenantId } = ctx;
      await ctx.db.patient.create({ data: { id, tenantId, canSignIn: true } });
      const address = kind === 'email' ? newEmail() : newNumber();
      const phoneNumber = kind === 'proof' ? address : null;
      await ctx.db.patientSignIn.create({ data: { tenantId, patientId: id, phoneNumber, confirmedAt: new Date() } });
      let { access_token: token, refresh_token, client_id, device } = await signInPatient(ctx, id);
      const requestCode = () =>
        bench.call(method, `/identity${path}`, { ...step.body(address), ...shown(device) }, { token });
      await requestCode();
      const renew = async () => {
        ({ access_token: token, refresh_token } = (await bench.refresh(client_id, refresh_token)).body);
      };
      const submit = (code: string) => post(step.submit, { code, ...shown(device) }, token);
      return { id, submit, requestCode, renew, address, code: await bench.codeFor(address) };
    };
    const started = await start(clinic);
    return {
      code: started.code,
      submit: started.submit,
      renew: started.renew,
      async requestAnother() {
        await started.requestCode();
        return bench.codeFor(started.address);
      },
      elsewhere: {
        async app(code) {
          const app = await secondApp(clinic, 'passwordless');
          const caller = { ip: '192.0.2.1', userAgent: null, requestId: newId(), idempotencyKey: null };
          const session = await clinic.ctx.db.$transaction((tx) =>
            beginSession(tx, clinic.ctx, { patientId: started.id, clientId: app, caller }),
          );
          const { access_token, device } = await issueTokens(clinic.ctx, session);
          return post(step.submit, { code, ...shown(device) }, access_token);
        },
        clinic: async (code) => (await start(hillside)).submit(code),
        account: async (code) => (await start(clinic)).submit(code),
      },
    };
  };
}

const PURPOSES: [string, () => Promise<PendingCode>, number][] = [
  ['signing in', signIn, 5 * MINUTE],
  ['confirming an email address', byMail('/credentials/sign_up', '/credentials/confirm', {}), 24 * HOUR],
  ['a forgotten password', byMail('/credentials/reset', '/credentials/reset/complete', { srp }), 5 * MINUTE],
  ['a new email address', bySession('email'), 24 * HOUR],
  ['a new number', bySession('phone'), 5 * MINUTE],
  ['a proof for a change', bySession('proof'), 5 * MINUTE],
];

const [USED, RAN_OUT, REPLACED, GUESSED] = [
  'one that was used',
  'one that has run out',
  'one that a later one replaced',
  'the right one after five wrong ones',
];
/** After these the code is dead; after the others the right code still works. */
const DEAD = [RAN_OUT, REPLACED, GUESSED];
const MISUSES: [string, (waiting: PendingCode, lifetime: number) => Promise<TestResponse>, string][] = [
  ['a wrong one', ({ submit, code }) => submit(other(code)), 'invalid_code'],
  [
    RAN_OUT,
    async ({ submit, code, renew }, lifetime) => {
      bench.clock.pass(lifetime);
      await renew?.();
      return submit(code);
    },
    'expired_code',
  ],
  [
    USED,
    async ({ submit, code }) => {
      expect(ok(await submit(code))).toBe(true);
      return submit(code);
    },
    'invalid_code',
  ],
  [
    REPLACED,
    async ({ submit, code, requestAnother }) => {
      bench.clock.pass(31 * SECOND);
      const next = await requestAnother!();
      return submit(next === code ? other(code) : code);
    },
    'invalid_code',
  ],
  [
    GUESSED,
    async ({ submit, code }) => {
      for (let n = 0; n < 5; n++) await submit(other(code));
      return submit(code);
    },
    'too_many_tries',
  ],
  ['one by another app', ({ elsewhere, code }) => elsewhere.app(code), 'invalid_code'],
  ['one at another clinic', ({ elsewhere, code }) => elsewhere.clinic(code), 'invalid_code'],
  ['one for another account', ({ elsewhere, code }) => elsewhere.account(code), 'invalid_code'],
  [
    'spaces in it, full-width digits, five digits',
    async ({ submit, code }) => {
      expect(errorOf(await submit(`${code.slice(0, 3)} ${code.slice(3)}`))).toEqual([422, 'invalid_parameter']);
      const wide = [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
      expect(errorOf(await submit(wide))).toEqual([422, 'invalid_parameter']);
      return submit(code.slice(1));
    },
    'invalid_parameter',
  ],
];

describe.each(PURPOSES)('a code for %s', (purpose, issue, lifetime) => {
  const at = PURPOSES.findIndex(([name]) => name === purpose);
  const isTaken = (n: number) => LONG || (at + n) % PURPOSES_EACH === 0;

  test('works once, until it expires', async () => {
    const waiting = await issue();
    bench.clock.pass(lifetime - MINUTE);
    await waiting.renew?.();
    expect(ok(await waiting.submit(waiting.code))).toBe(true);
  });

  test.each(MISUSES.filter((_, n) => isTaken(n)))('is rejected: %s', async (what, misuse, code) => {
    const waiting = await issue();
    if (what === REPLACED && waiting.requestAnother === null) return;
    const before = await effects();
    expect(errorOf(await misuse(waiting, lifetime))).toEqual([422, code]);
    if (DEAD.includes(what)) return expect(await effects()).toEqual(before);
    if (what !== USED) expect(ok(await waiting.submit(waiting.code))).toBe(true);
  });

  test.runIf(isTaken(0))(
    `${GUESSES} concurrent guesses count as ${GUESSES} attempts, and then the code is dead`,
    async () => {
      const { submit, code } = await issue();
      const responses = await Promise.all(Array.from({ length: GUESSES }, () => submit(other(code))));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([422]));
      const row = await clinic.ctx.db.oneTimeCode.findFirstOrThrow({ orderBy: { tries: 'desc' } });
      expect(row.tries).toBe(GUESSES);
      expect(errorOf(await submit(code))).toEqual([422, 'too_many_tries']);
    },
  );

  test.runIf(isTaken(1))('takes effect once when it is presented four times concurrently', async () => {
    const { submit, code } = await issue();
    const responses = await Promise.all(Array.from({ length: 4 }, () => submit(code)));
    expect(responses.filter(ok)).toHaveLength(1);
    expect(responses.filter((response) => !ok(response)).map(errorOf)).toEqual(Array(3).fill([422, 'invalid_code']));
  });
});

test('a code for one purpose works for no other', async () => {
  const waiting: PendingCode[] = [];
  for (const [, issue] of PURPOSES) waiting.push(await issue());
  const before = await effects();
  for (const { submit, code } of waiting)
    for (const { code: otherCode } of waiting)
      if (otherCode !== code) expect(errorOf(await submit(otherCode))).toEqual([422, 'invalid_code']);
  expect(await effects()).toEqual(before);
});

/** Everything that an accepted code would have changed. */
async function effects() {
  const { db } = clinic.ctx;
  return {
    sessions: await db.patientSession.count(),
    confirmed: await db.patientSignIn.count({ where: { confirmedAt: { not: null } } }),
    verified: await db.patient.count({ where: { OR: [{ emailVerified: true }, { phoneNumberVerified: true }] } }),
    passwords: await db.auditEntry.count({ where: { action: 'patients.reset_password' } }),
  };
}
