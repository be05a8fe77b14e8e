import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInboxEmulator } from '#emulators/inbox/index.ts';
import { startWorker } from '#jobs/worker.ts';
import { createLog } from '#server/core/log.ts';
import { createPortalHandler } from '#server/http/trpc-handler.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { type Canaries, dumpDatabase, findCanaries, type Place } from './canaries.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { asFetch } from './http-server.ts';
import { newAttempt } from './password-client.ts';
import { readOffer } from './sample-targets.ts';
import { takeSlot } from './samples/sample.ts';
import { ACCOUNT } from './scheduling.ts';
import { STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } from './services.ts';
import { signInToPortal } from './staff-sign-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: the wire's shape is what the suite asserts
type Reply = { status: number; body: any };
const mark = (what: string): string => `canary-${what}-${crypto.randomUUID()}`;
const KEPT_OPEN = {
  'what the API shows of a patient': 'patients.metadata',
  'the event that tells of it': 'events.payload',
  'what the API shows of a visit': 'appointments.metadata',
};

const canaries: Canaries = new Map([
  ['the Acuity key', ACCOUNT.api_key],
  ['the Stripe key', STRIPE_SECRET_KEY],
  ['the Stripe webhook secret', STRIPE_WEBHOOK_SECRET],
  ['a wrong Acuity key', mark('acuity')],
  ['a staff password', mark('password')],
  ['a wrong staff password', mark('wrong-password')],
  ['a wrong client secret', mark('wrong-secret')],
  ['a wrong checkout token', mark('wrong-token')],
]);
const health: Canaries = new Map([['health data', mark('diagnosis')]]);
const canary = (name: string) => canaries.get(name) ?? health.get(name)!;

const lines: Place[] = [];
const urls: Place[] = [];
const errors: Place[] = [];
const heads: Place[] = [];
let clinic: Sandbox;
let inbox: Awaited<ReturnType<ReturnType<typeof createInboxEmulator>['start']>>;
let stopWorker: () => Promise<void>;
let dump: Place[];

/** Records the URLs of all requests, ours and, since the emulators run in this process too, those sent to providers. */
const noteUrl = (message: unknown) => {
  const { method, url, headers } = (message as { request: IncomingMessage }).request;
  urls.push({ where: `${method} ${url?.split('?')[0]}`, text: `${url} ${headers.referer ?? ''}` });
};

beforeAll(async () => {
  subscribe('http.server.request.start', noteUrl);
  inbox = await createInboxEmulator({ log: () => {} }).start();
  const log = createLog('debug', { write: (line) => void lines.push({ where: line.slice(0, 300), text: line }) });
  const env = {
    LOG_LEVEL: 'debug',
    SMTP_URL: inbox.smtpUrl,
    TWILIO_API_URL: inbox.url,
    TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000000',
    TWILIO_AUTH_TOKEN: 'emulated-token',
    TWILIO_FROM: '+12025550100',
  };
  clinic = await withClinic({ ...SANDBOX, env, overrides: { log } });
  const { encryptionKey, sessionSecret } = clinic.services.config;
  canaries.set('the encryption key', encryptionKey.toString('base64')).set('the session secret', sessionSecret);
  stopWorker = await startWorker(clinic.services);
}, 120_000);
afterAll(async () => {
  unsubscribe('http.server.request.start', noteUrl);
  await stopWorker?.();
  await clinic?.stop();
  await inbox?.stop();
});

async function note(where: string, response: Response): Promise<Reply> {
  const text = await response.text();
  if (response.status >= 400) errors.push({ where: `${where} ${response.status}`, text });
  heads.push({ where, text: JSON.stringify([...response.headers].filter(([name]) => name !== 'set-cookie')) });
  return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text };
}
type Call = { token?: string; body?: unknown; raw?: string; headers?: Record<string, string> };
async function call(method: string, path: string, { token, body, raw, headers }: Call = {}): Promise<Reply> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`${clinic.url}${path}`, {
    method,
    headers: {
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  });
  return note(`${method} ${path.split('?')[0]}`, response);
}
const post = (token: string, path: string, body: unknown, headers = {}) =>
  call('POST', `/api/v1${path}`, { token, body, headers });
async function form(fields: Record<string, string>): Promise<Reply> {
  const body = new URLSearchParams(fields);
  return note('POST token', await fetch(`${clinic.url}/identity/oauth2/token`, { method: 'POST', body }));
}
async function settled() {
  const jobs = () => clinic.services.database.system.$queryRaw<unknown[]>`
    select 1 from graphile_worker.jobs where run_at < now() and attempts < max_attempts`;
  await expect.poll(async () => (await jobs()).length, { timeout: 15_000 }).toBe(0);
}

describe('marked secrets pass through', () => {
  let portal: (procedure: string, input: unknown) => Promise<Reply>;
  let app: { id: string; secret: string };
  let token: string;
  let patientId: string;
  let subscription: Reply['body'];

  test('a staff sign-in and failed ones', async () => {
    const email = 'willow@clinic.example.test';
    const password = canary('a staff password');
    await createStaffUser(clinic.ctx, { email, name: 'Willow Example', role: 'admin', password });
    const { services } = clinic;
    const result = await signInToPortal(services, { email, password: canary('a wrong staff password') });
    expect(result).toEqual({ error: 'CredentialsSignin' });
    const session = await signInToPortal(services, { email, password });
    if ('error' in session) throw new Error('not signed in');
    canaries.set('a staff session', session.cookie.split('=')[1]!);
    const portalHandler = asFetch(createPortalHandler(services));
    portal = async (procedure, input) => {
      const headers = { cookie: session.cookie, 'content-type': 'application/json', 'x-carelane-portal': '1' };
      const init = { method: 'POST', headers, body: JSON.stringify(input) };
      return note(procedure, await portalHandler(new Request(`${clinic.url}/api/trpc/${procedure}`, init)));
    };
  });

  test('an application, its secrets and its tokens', async () => {
    const scopes = ['admin', 'patients:impersonate'];
    const { body } = await portal('applications.create', { name: 'Example Server', scopes });
    const { application, client_secret } = body.result.data;
    const rotated = await portal('applications.rotateSecret', { id: application.id });
    canaries.set('a client secret', client_secret).set('a rotated secret', rotated.body.result.data.client_secret);
    app = { id: application.id, secret: client_secret };
    const own = { grant_type: 'client_credentials', client_id: app.id };
    expect((await form({ ...own, client_secret: canary('a wrong client secret') })).status).toBe(401);
    expect((await form({ ...own, client_secret: `${app.secret}x` })).status).toBe(401);
    expect((await form({ ...own, client_secret: app.secret, scope: app.secret })).status).toBe(400);
    token = (await form({ ...own, client_secret: app.secret })).body.access_token;
    canaries.set('an access token', token);
    for (const bad of [`${token}x`, `${token.slice(0, -9)}AAAAAAAAA`])
      expect((await call('GET', '/api/v1/patients', { token: bad })).status).toBe(401);
  });

  test('a patient’s record: rejected, malformed and accepted requests', async () => {
    const metadata = { condition: canary('health data') };
    const first_name = 'Ada';
    for (const body of [{ metadata, gender: 'x' }, { metadata: canary('health data') }, { metadata, first_name: 1 }])
      expect((await post(token, '/patients', body)).status).toBe(422);
    const raw = `{"metadata": {"condition": "${canary('health data')}"`;
    expect((await call('POST', '/api/v1/patients', { token, raw })).status).toBe(400);
    const email = 'ada@example.test';
    const created = await post(token, '/patients', { first_name, email, metadata }, { 'idempotency-key': 'canary-1' });
    expect(created.status).toBe(201);
    patientId = created.body.id;
    expect((await post(token, '/patients', { first_name, email, metadata })).status).toBe(409);
    const changed = await call('PATCH', `/api/v1/patients/${patientId}`, { token, body: { metadata } });
    expect(changed.body.metadata).toEqual(metadata);
    const subject = { subject_token: patientId, subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id' };
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const exchanged = await form({ grant_type, ...subject, client_id: app.id, client_secret: app.secret });
    canaries.set('an impersonation token', exchanged.body.access_token);
    expect((await call('GET', '/api/v1/patients/me', { token: exchanged.body.access_token })).status).toBe(200);
  });

  test('an internal error while a record is written', async () => {
    const owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
    await owner.connect();
    await owner.query(`alter table patients add constraint planted check (first_name <> 'Fault')`);
    const metadata = { condition: canary('health data') };
    const before = lines.length;
    expect((await post(token, '/patients', { first_name: 'Fault', metadata })).status).toBe(500);
    expect(lines.length).toBeGreaterThan(before);
    await owner.query('alter table patients drop constraint planted');
    await owner.end();
  });

  test('a subscription, its checkout link and its payment', async () => {
    const { priceId } = await readOffer(clinic, token);
    const body = { patient_id: patientId, price_ids: [priceId] };
    const fault = { kind: '500', match: { method: 'POST' }, times: 5 };
    const control = (method: string, path: string, what?: unknown) =>
      fetch(`${clinic.stripe.emulator.url}/_emulator/${path}`, {
        method,
        ...(what !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) }),
      });
    await control('POST', 'faults', fault);
    expect((await post(token, '/subscriptions', body)).status).toBeGreaterThanOrEqual(500);
    await control('DELETE', 'faults');
    const created = await post(token, '/subscriptions', body, { 'idempotency-key': 'canary-2' });
    expect(created.status).toBe(201);
    subscription = created.body;
    const { latest_invoice: invoice, pending_setup_intent: setup } = subscription;
    canaries.set('a Stripe client secret', invoice?.payment_intent?.client_secret ?? setup.client_secret);
    for (const send of [false, true]) {
      const link = await portal('subscriptions.createCheckoutLink', {
        subscription_id: subscription.id,
        send,
        // Without `renew` the second link would be the same as the first.
        renew: send,
      });
      canaries.set(`a checkout token${send ? ', mailed' : ''}`, link.body.result.data.url.split('#')[1]);
    }
    await settled();
    const open = (name: string) => call('POST', '/api/links/checkout.open', { body: { token: canary(name) } });
    expect((await open('a wrong checkout token')).status).toBe(404);
    expect((await open('a checkout token')).status).toBe(404);
    expect((await open('a checkout token, mailed')).body.client_secret).toBe(canary('a Stripe client secret'));
    const intent = invoice?.payment_intent ?? setup;
    const kind = invoice?.payment_intent ? 'payment_intents' : 'setup_intents';
    const paid = await fetch(`${clinic.stripe.emulator.url}/v1/${kind}/${intent.id}/confirm`, {
      method: 'POST',
      body: new URLSearchParams({
        key: STRIPE_PUBLISHABLE_KEY,
        client_secret: intent.client_secret,
        _stripe_account: subscription.payment_client.account_id,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': '4242424242424242',
        'payment_method_data[card][exp_month]': '12',
        'payment_method_data[card][exp_year]': '2040',
        'payment_method_data[card][cvc]': '123',
      }),
    });
    expect(paid.status).toBe(200);
    const read = async () => (await call('GET', `/api/v1/subscriptions/${subscription.id}`, { token })).body.status;
    await expect.poll(read, { timeout: 10_000 }).toMatch(/active|trialing/);
    expect((await open('a checkout token, mailed')).body.next_action).toBe('none');
    expect((await post(token, `/subscriptions/${subscription.id}/cancel`, {})).status).toBe(200);
  });

  test('appointments, and a provider that rejects or fails', async () => {
    const offer = await readOffer(clinic, token);
    const metadata = { reason: canary('health data') };
    const booking = { patient_id: patientId, appointment_type_id: offer.typeId, metadata, ...takeSlot(offer) };
    const { status, body } = await post(token, '/appointments', booking);
    expect(status).toBe(201);
    expect((await post(token, '/appointments', booking)).body.id).toBe(body.id);
    const another = { ...booking, metadata: { ...metadata, again: canary('health data') } };
    expect((await post(token, '/appointments', another)).status).toBe(409);
    const moved = await post(token, `/appointments/${body.id}/reschedule`, { from_date: takeSlot(offer).from_date });
    expect(moved.status).toBe(200);
    expect((await post(token, `/appointments/${body.id}/cancel`, {})).status).toBe(200);
    const wrong = { user_id: ACCOUNT.user_id, api_key: canary('a wrong Acuity key') };
    expect((await portal('integrations.connectAcuity', wrong)).status).toBeGreaterThanOrEqual(400);
    const right = ACCOUNT;
    expect((await portal('integrations.connectAcuity', right)).status).toBe(200);
    const forged = { raw: canary('health data'), headers: { 'stripe-signature': `t=1,v1=${STRIPE_WEBHOOK_SECRET}` } };
    expect((await call('POST', '/api/webhooks/stripe', forged)).status).toBe(400);
    const signature = { 'x-acuity-signature': ACCOUNT.api_key };
    const unsigned = { raw: 'action=changed&id=1', headers: signature };
    expect((await call('POST', `/api/webhooks/acuity/${clinic.ctx.tenantId}`, unsigned)).status).toBe(401);
  });

  test('a patient’s own sign-in', async () => {
    const { passwordless } = await getConfigurationTokens(clinic.ctx);
    const { client_id } = JSON.parse(Buffer.from(passwordless.split('_')[2]!, 'base64url').toString());
    const identifier = { client_id, phone_number: '+12025550143' };
    const identity = (path: string, body: unknown) => call('POST', `/identity/passwordless/${path}`, { body });
    const attempt = newAttempt();
    canaries.set('a device’s secret', attempt);
    const attributes = { metadata: { condition: canary('health data') } };
    expect((await identity('sign_up', { ...identifier, attempt, attributes })).status).toBe(202);
    await settled();
    const { challenge } = (await identity('sign_in', identifier)).body;
    canaries.set('a challenge', challenge);
    expect((await identity('complete', { challenge, code: '00000x' })).status).toBe(422);
    await settled();
    const sent = (await (await fetch(`${inbox.url}/messages`)).json()) as { text: string }[];
    const codes = sent.flatMap(({ text }) => text.match(/\b(?:\d{6}|\d{10})\b/) ?? []);
    let signedIn: Reply = { status: 0, body: null };
    for (const code of codes)
      if (signedIn.status !== 200) signedIn = await identity('complete', { challenge, attempt, code });
    expect(signedIn.status).toBe(200);
    const refreshed = await form({
      grant_type: 'refresh_token',
      refresh_token: signedIn.body.refresh_token,
      client_id,
    });
    expect(refreshed.status).toBe(200);
    canaries.set('a used refresh token', signedIn.body.refresh_token);
    canaries.set('a refresh token', refreshed.body.refresh_token);
    canaries.set('a patient’s token', refreshed.body.access_token);
  });
});

describe('marked secrets afterwards', () => {
  const all = () => new Map([...canaries, ...health]);
  test('every flow ran', async () => {
    await settled();
    dump = await dumpDatabase(clinic.database.ownerUrl);
    const silent = [...canaries].filter(([, value]) => !value || value.length < 12);
    expect(silent).toEqual([]);
    expect(canaries.size).toBe(23);
    expect([lines.length, errors.length, urls.length].every((count) => count > 0)).toBe(true);
  });

  test('are in no log line', () => expect(findCanaries(all(), lines)).toEqual([]));

  test('are in no URL, ours or a provider’s', () => expect(findCanaries(all(), urls)).toEqual([]));

  test('are in no error response and no header', () => expect(findCanaries(all(), [...errors, ...heads])).toEqual([]));

  test('are in no database column; health data is only in the contract’s columns', () => {
    expect(dump.length).toBeGreaterThan(500);
    expect(findCanaries(canaries, dump)).toEqual([]);
    const expected = Object.values(KEPT_OPEN).map((column) => `health data in ${column}`);
    expect(findCanaries(health, dump)).toEqual(expected.sort());
  });

  test('health data reaches no provider and no message', () => {
    const { stripe, acuity } = clinic;
    const outside = {
      stripe: stripe.emulator.world.state,
      acuity: acuity.emulator.world.state,
      inbox: inbox.world.state,
    };
    const places = Object.entries(outside).map(([where, state]) => ({ where, text: JSON.stringify(state) }));
    expect(findCanaries(health, places)).toEqual([]);
  });
});

describe('findCanaries', () => {
  test.each([
    ['as it is', (value: string) => `a ${value} b`],
    ['in base64', (value: string) => btoa(value)],
    ['within a longer text in base64', (value: string) => btoa(`name:${value}:more`)],
    ['in hexadecimal', (value: string) => Buffer.from(value).toString('hex')],
    ['in an address', (value: string) => `/a?b=${encodeURIComponent(value)}`],
  ])('finds a value %s', (_name, spell) => {
    const planted = new Map([['secret', 'canary/plant+ed=value']]);
    expect(findCanaries(planted, [{ where: 'here', text: spell('canary/plant+ed=value') }])).toEqual([
      'secret in here',
    ]);
  });

  test('finds a value in a bytea column and in the job queue', async () => {
    const owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
    await owner.connect();
    await owner.query('create table planted (open bytea)');
    await owner.query('insert into planted values ($1)', [Buffer.from('canary-planted-in-bytes')]);
    await owner.query(`select graphile_worker.add_job('planted', '{"secret": "canary-planted-in-bytes"}')`);
    await owner.end();
    const findings = findCanaries(
      new Map([['it', 'canary-planted-in-bytes']]),
      await dumpDatabase(clinic.database.ownerUrl),
    );
    expect(findings).toContain('it in planted.open');
    expect(findings.some((place) => place.includes('payload'))).toBe(true);
  });
});
