import { afterAll, beforeAll, expect, test } from 'vitest';
import { dumpDatabase, type Place } from '#dev/testing/canaries.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, prove, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { startHttpProcess } from '#dev/testing/start-http-process.ts';
import { MINUTE } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { issueInvitation, makeTemporaryPassword } from './invitation/issue-invitation.ts';

const PASSWORD = 'canary correct horse battery';
const NEXT = 'canary another quite long one';
const LAST = 'canary the last of the three';
const EMAIL = 'canary@example.test';
const PHONE = '+12025550142';

/** Worker and clock run in this process; the HTTP server runs in its own, whose log is read as it is written. */
let bench: SignInBench;
let server: Awaited<ReturnType<typeof startHttpProcess>>;
const log: string[] = [];
const places: Place[] = [];
const secrets: Record<string, string> = {};

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  const { config } = bench.services;
  const env = {
    CARELANE_ENV: 'sandbox',
    PUBLIC_URL: bench.url,
    DATABASE_URL: bench.database.url,
    ENCRYPTION_KEY: config.encryptionKey.toString('base64'),
    SESSION_SECRET: config.sessionSecret,
    STRIPE_SECRET_KEY: config.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: config.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: config.stripe.webhookSecret,
    LOG_LEVEL: 'debug',
    TRUST_PROXY: '1',
  };
  server = await startHttpProcess(env, (text) => log.push(text));
});
afterAll(async () => {
  await server?.stop();
  await bench?.stop();
});

type Options = NonNullable<Parameters<SignInBench['post']>[2]>;
let sources = 0;
async function call(
  method: string,
  path: string,
  body?: unknown,
  { token, headers }: Options = {},
): Promise<TestResponse> {
  const response = await fetch(`${server.url}/identity${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `10.0.0.${++sources}`,
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const heads = [...response.headers].join('\n');
  if (response.status >= 400) places.push({ where: `the refusal of ${path}`, text: `${heads}\n${text}` });
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}
const post = (path: string, body: unknown, options: Options = {}) => call('POST', path, body, options);
const dump = async () => places.push(...(await dumpDatabase(bench.database.ownerUrl)));

/** Encodings that a secret may be found in: plain, URL-encoded, hex or base64. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
];
/** Six digits also occur by chance, inside ids and times. */
const patternOf = (secret: string) =>
  new RegExp(
    spellings(secret)
      .map((one) => `(?<![0-9a-f.:])${one.replace(/[^\w]/g, '\\$&')}(?![0-9a-f.])`)
      .join('|'),
    'i',
  );

test('no secret of any flow appears in a column of any schema, a log line or an error', async () => {
  const clinic = await bench.tenant();
  const remote = { post };
  const client_id = clinic.credentials;
  const first = register(PASSWORD);
  const attempt = newAttempt();
  secrets.attempt = attempt;
  Object.assign(secrets, { password: PASSWORD, 'next password': NEXT, 'last password': LAST });
  secrets['first verifier'] = first.verifier;

  await post('/credentials/sign_up', {
    client_id,
    email: EMAIL,
    attempt,
    srp: first,
    attributes: { first_name: 'Ada' },
  });
  await dump();
  secrets['confirmation code'] = await bench.codeFor(EMAIL);
  await post('/credentials/sign_up', { client_id, email: 'x', attempt, srp: first, password: PASSWORD });
  const confirm = { client_id, email: EMAIL, attempt, code: secrets['confirmation code'] };
  await post('/credentials/confirm', { ...confirm, code: `${confirm.code} ` });
  await post(`/credentials/confirm?code=${confirm.code}`, confirm);
  await dump();
  expect((await post('/credentials/confirm', confirm)).status).toBe(204);
  expect((await post('/credentials/confirm', confirm)).status).toBe(422);

  const passwordProof = await prove(remote, client_id, EMAIL, PASSWORD);
  secrets.handshake = passwordProof.started.body.handshake;
  secrets.proof = passwordProof.body.M1;
  await dump();
  const session = (await signInWithPassword(remote, client_id, EMAIL, PASSWORD)).body;
  secrets['access token'] = session.access_token;
  secrets['refresh token'] = session.refresh_token;
  await call('GET', '/user', undefined, { token: `${session.access_token}x` });
  const form = { grant_type: 'refresh_token', refresh_token: session.refresh_token, client_id };
  const refreshed = await fetch(`${server.url}/identity/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const tokens = (await refreshed.json()) as { refresh_token: string; access_token: string };
  Object.assign(secrets, { 'second refresh token': tokens.refresh_token, 'second access token': tokens.access_token });

  const token = tokens.access_token;
  const { device } = session;
  secrets['device secret'] = device;
  // The server process has its own clock, so end the wait between two codes here.
  await clinic.ctx.db.codeSend.deleteMany();
  await post('/user/proof/code', {}, { token });
  secrets['code of a proof'] = await bench.codeFor(EMAIL);
  await dump();
  await post('/user/proof', { code: '12345x' }, { token });
  secrets['proof of an address'] = (
    await post('/user/proof', { code: secrets['code of a proof'] }, { token })
  ).body.proof;
  await call('PATCH', '/user/email', { email: 'canary2@example.test', device }, { token });
  secrets['code of a new address'] = await bench.codeFor('canary2@example.test');
  await dump();
  await post('/user/email/verify', { code: '12345x', device }, { token });
  await post('/user/email/verify', { code: secrets['code of a new address'], device: `${device}x` }, { token });
  await post('/user/email/verify', { code: secrets['code of a new address'], device }, { token });
  await call('PATCH', '/user/phone', { phone_number: '+12025550144', device }, { token });
  secrets['code of a new number'] = await bench.codeFor('+12025550144');
  secrets['link that undoes a change'] = (await bench.messages(EMAIL))[0]!.text.match(/undo#(\S+)/)![1]!;
  await dump();
  await post('/user/phone/verify', { code: secrets['code of a new number'], device }, { token });

  const proof = await prove(remote, client_id, 'canary2@example.test', PASSWORD);
  const second = register(NEXT, first.identity);
  secrets['second verifier'] = second.verifier;
  expect((await call('PUT', '/user/password', { ...proof.body, srp: second }, { token })).status).toBe(200);

  await clinic.ctx.db.codeSend.deleteMany();
  await post('/credentials/reset', { client_id, email: 'canary2@example.test', attempt });
  secrets['reset code'] = await bench.codeFor('canary2@example.test');
  const third = register(LAST);
  secrets['third verifier'] = third.verifier;
  await dump();
  const reset = { client_id, email: 'canary2@example.test', attempt, code: secrets['reset code'], srp: third };
  expect((await post('/credentials/reset/complete', reset)).status).toBe(204);

  const phone = { client_id: clinic.passwordless, phone_number: PHONE };
  await post('/passwordless/sign_up', { ...phone, attempt });
  const key = { headers: { 'idempotency-key': 'canary-idempotency-key' } };
  secrets['idempotency key'] = 'canary-idempotency-key';
  secrets.challenge = (await post('/passwordless/sign_in', phone)).body.challenge;
  secrets['sign-in code'] = await bench.codeFor(PHONE);
  await dump();
  await post('/passwordless/complete', { challenge: secrets.challenge, code: '12345x' }, key);
  const done = await post(
    '/passwordless/complete',
    { challenge: secrets.challenge, attempt, code: secrets['sign-in code'] },
    key,
  );
  secrets['third access token'] = done.body.access_token;
  secrets['first refresh token of a phone'] = done.body.refresh_token;
  expect((await post('/user/sign_out', {}, { token: done.body.access_token })).status).toBe(204);

  const { db, tenantId } = clinic.ctx;
  const [patientId, email, temporary] = [newId(), 'canary3@example.test', await makeTemporaryPassword(bench.services)];
  secrets['temporary password'] = temporary.password;
  await db.patient.create({ data: { id: patientId, tenantId, email, status: 'invited' } });
  await db.$transaction(async (tx) => {
    await issueInvitation(tx, clinic.ctx, { patientId, email, url: bench.url, temporary });
    places.push(...(await queued(tx)));
  });
  await bench.settled();
  const response = await signInWithPassword(remote, client_id, email, temporary.password);
  secrets.continuation = response.body.continuation;
  await dump();
  const newRegistration = register(LAST, temporary.srp.identity);
  secrets['fourth verifier'] = newRegistration.verifier;
  const { continuation } = secrets;
  expect((await post('/credentials/complete_invitation', { continuation, srp: newRegistration })).status).toBe(200);

  await clinic.ctx.db.$transaction(async (tx) => {
    const until = new Date(Date.now() + MINUTE).toISOString();
    await sendMessage(tx, clinic.ctx, { kind: 'sign_in_code', to: PHONE, code: '271828', until });
    const waiting = await queued(tx);
    expect(waiting.length).toBeGreaterThan(0);
    expect(JSON.stringify(waiting)).not.toMatch(/271828|\+1202/);
  });

  await dump();
  places.push({ where: 'the log', text: log.join('') });
  const leaks = Object.entries(secrets).flatMap(([name, secret]) => {
    const pattern = patternOf(secret);
    return places.filter(({ text }) => pattern.test(text)).map(({ where }) => `${name} in ${where}`);
  });
  expect([...new Set(leaks)]).toEqual([]);
  // Plain values are found, so the search works; and the queue is among the tables read.
  expect(places.some(({ text }) => patternOf(EMAIL).test(text))).toBe(true);
  const readFrom = new Set(places.map(({ where }) => where.split('.')[0]));
  for (const table of ['patients', 'audit_entries', 'events', 'one_time_codes', '_private_jobs'])
    expect([...readFrom]).toContain(table);
}, 120_000);

type Tx = Parameters<Parameters<typeof bench.services.database.system.$transaction>[0]>[0];
async function queued(tx: Pick<Tx, '$queryRaw'>): Promise<Place[]> {
  const rows = await tx.$queryRaw<{ row: string }[]>`select j::text as row from graphile_worker._private_jobs j`;
  return rows.map(({ row }) => ({ where: '_private_jobs.row', text: row }));
}

test('a message that cannot be sent fails in the log without its content', async () => {
  const lines: string[] = [];
  const elsewhere = await bench.tenant();
  bench.services.config.twilio = null;
  const error = bench.services.log.error.bind(bench.services.log);
  bench.services.log.error = (...args: unknown[]) => void lines.push(JSON.stringify(args));
  const client = { client_id: elsewhere.passwordless, phone_number: '+12025550143' };
  await bench.post('/passwordless/sign_up', { ...client, attempt: newAttempt() });
  await bench.post('/passwordless/sign_in', client);
  await expect.poll(() => lines).not.toEqual([]);
  bench.services.log.error = error;
  const text = lines.join('\n');
  expect(text).toContain('message not sent');
  expect(text).toContain('TWILIO_ACCOUNT_SID');
  expect(text).not.toMatch(/\+1202|sign-in code for/);
  // The worker writes its log line before the job's error.
  const jobs = async () => JSON.stringify(await queued(bench.services.database.system));
  await expect.poll(jobs).toContain('TWILIO_ACCOUNT_SID');
  expect(await jobs()).not.toMatch(/\+1202|sign-in code for/);
});
