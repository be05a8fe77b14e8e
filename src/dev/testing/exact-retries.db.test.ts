import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import { Prisma } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { type PausePoint, pauseAt } from './pause-at.ts';
import { runJobs } from './reconciling.ts';
import type { RestClient, RestResponse } from './rest-client.ts';
import { sampleRequests } from './sample-requests.ts';
import { readOffer } from './sample-targets.ts';
import { insertMessage } from './samples/rows.ts';
import { nameOf, type Offer, type Target, takeSlot } from './samples/sample.ts';
import { ACCOUNT } from './scheduling.ts';
import { startHttpProcess } from './start-http-process.ts';
import { makePayment, makeUnknownSubscription } from './stripe-objects.ts';
import { insertUnmatched } from './unmatched-booking.ts';
import { deleteOldest, makeWebhookTarget, noWebhook } from './webhook-target.ts';

/** Every POST of the contract, so that a new one is covered as soon as it is in the table. */
const POSTS = ROUTES.filter(({ method }) => method === 'POST').map(nameOf);
/** Requests that need no object of the tenant. */
const OPEN_TO_ALL = [
  'POST /patients',
  'POST /patients/invite',
  'POST /webhook_endpoints',
  'POST /integrations/stripe',
  'POST /integrations/stripe/onboarding',
  'POST /integrations/acuity',
];
const LONG = process.env.PROVE === '1';
const AT_ONCE = LONG ? 32 : 4;

let clinic: Sandbox;
let passed = 0;
let token: string;
let otherToken: string;
let otherTenantToken: string;
let offer: Offer;
beforeAll(async () => {
  // In the long form a request of every route waits in its transaction at once.
  const env = { DATABASE_CONNECTIONS: String(POSTS.length + 15), PROVIDER_TIMEOUT_MS: '20000' };
  clinic = await withClinic({ ...SANDBOX, env, overrides: { clock: { now: () => new Date(Date.now() + passed) } } });
  await signIn();
  offer = await readOffer(clinic, token);
}, 120_000);
afterAll(() => clinic?.stop());

const apps = new Map<string, ReturnType<Sandbox['application']>>();
async function signIn(): Promise<void> {
  const tokenOf = async (name: string, ctx: Sandbox['ctx']) => {
    if (!apps.has(name)) apps.set(name, clinic.application(ctx));
    return clinic.token(await apps.get(name)!);
  };
  token = await tokenOf('one', clinic.ctx);
  otherToken = await tokenOf('another', clinic.ctx);
  otherTenantToken = await tokenOf('another tenant', clinic.otherCtx);
}

type KeyedRequest = { name: string; key: string; request: { method: 'POST'; path: string; body: unknown } };

const create = async (path: string, body: object): Promise<string> => {
  const response = await clinic.rest.call({ method: 'POST', path, token, body });
  if (response.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
  return response.body.id;
};

/** Builds a valid request of the route on its own objects, with a new key. */
async function createKeyedRequest(name: string): Promise<KeyedRequest> {
  const patientId = await create('/patients', { first_name: 'Ada', email: `${newId()}@example.test` });
  const target: Target = {
    patientId,
    subscriptionId: '',
    paymentId: '',
    cardId: '',
    appointmentId: '',
    eventId: '',
    taskId: '',
    practitionerId: '',
    unmatchedId: newId(),
    messageId: newId(),
    ...noWebhook(),
  };
  if (name.includes('/webhook_endpoints')) {
    await deleteOldest(clinic.rest, token);
    await clinic.rest.call({ method: 'GET', path: `/events?patient_id=${patientId}&wait=10&size=1`, token });
  }
  if (name.includes('/webhook_endpoints/{'))
    Object.assign(target, await makeWebhookTarget(clinic.rest, token, patientId));
  if (name.includes('/subscriptions/{'))
    target.subscriptionId = await create('/subscriptions', { patient_id: patientId, price_ids: [offer.priceId] });
  if (name.includes('/payments/{')) target.paymentId = await makePayment(clinic, token, offer.priceId);
  if (name.includes('/appointments/{'))
    target.appointmentId = await create('/appointments', {
      patient_id: patientId,
      appointment_type_id: offer.typeId,
      ...takeSlot(offer),
    });
  if (name.includes('/messages/{')) {
    const state = name.endsWith('/skip') ? 'planned' : 'sent';
    target.messageId = await insertMessage(clinic.ctx, target.appointmentId, { state });
  }
  // These are possible while the appointment takes place; a check-in is too late once its day is over.
  if (/no_show|check_in|complete$|unmark/.test(name))
    await clinic.ctx.db.appointment.updateMany({
      where: { id: target.appointmentId },
      data: {
        ...{ startAt: new Date(Date.now() - MINUTE), endAt: new Date(Date.now() + HOUR / 2) },
        // The sample undoes a check-in.
        ...(name.endsWith('/unmark') && { checkedInAt: new Date() }),
      },
    });
  if (name.includes('unarchive'))
    await clinic.rest.call({ method: 'DELETE', path: `/patients/${patientId}/archive`, token });
  const time = name === 'POST /appointments' || name.includes('reschedule') ? takeSlot(offer) : offer.times[0]!;
  const { path, body = {} } = sampleRequests(offer)[name]!.request(target, time);
  const request = { method: 'POST' as const, path, body };
  if (name.includes('/unknown_subscriptions/')) {
    const id = await makeUnknownSubscription(clinic, offer.trialPriceId);
    request.path = path.replace(/sub_\w+/, id);
  }
  if (name.includes('/appointments/unmatched/{')) {
    const ignored = name.endsWith('/restore') ? { ignoredAt: new Date() } : {};
    request.path = path.replace(/[0-9a-f-]{36}/, await insertUnmatched(clinic.ctx, ignored));
  }
  // The sample's credentials are invalid.
  if (name === 'POST /integrations/acuity') request.body = ACCOUNT;
  return { name, key: newId(), request };
}

const send = (keyed: KeyedRequest, more: { token?: string; body?: unknown } = {}, client: RestClient = clinic.rest) =>
  client.call({ ...keyed.request, token, headers: { 'idempotency-key': keyed.key }, ...more });
/** Sends the request again as if the process had died between the work and storing the response. */
async function sendAsIfUnstored(keyed: KeyedRequest): Promise<RestResponse> {
  const { count } = await clinic.ctx.db.idempotencyKey.updateMany({
    where: { key: keyed.key },
    data: { status: null, body: null, headers: Prisma.DbNull, lockedAt: new Date(0) },
  });
  expect(count).toBe(1);
  return send(keyed);
}
const isReplayed = ({ headers }: RestResponse) => headers['idempotent-replayed'] === 'true';
const codeOf = ({ body }: RestResponse): string | undefined => body?.errors?.[0]?.code;

const BEGUN = [
  'cards.start_setup',
  'subscriptions.create_checkout_link',
  'subscriptions.create_manage_link',
  'integrations.begin_onboarding',
  'integrations.connect',
  'subscriptions.create_checkout_session',
  'subscriptions.leave_alone',
  'appointments.ignore_unmatched',
  'appointments.restore_unmatched',
  'appointment_messages.send_again',
  'appointment_messages.skip',
];

/** Counts all effects, here and at the providers; reads and rejected requests add nothing. */
async function countEffects(): Promise<Record<string, number>> {
  const { db } = clinic.ctx;
  const [stripe, acuity] = [clinic.stripe.emulator, clinic.acuity.emulator];
  // Webhooks of an earlier request arrive a moment later and would count as this request's effect.
  const deliveries = () => [stripe, acuity].flatMap(({ world }) => world.webhooks.log());
  const isOnItsWay = () => deliveries().some(({ status, attempts }) => status === 'pending' && attempts.length === 0);
  await expect.poll(isOnItsWay, { timeout: 10_000 }).toBe(false);
  const [books] = Object.values(acuity.world.state.accounts);
  const subscriptions = Object.values(stripe.world.state.accounts).flatMap(({ objects }) =>
    Object.values(objects.subscription),
  );
  const refunds = Object.values(stripe.world.state.accounts).flatMap(({ objects }) => Object.values(objects.refund));
  // A repeated request leaves an entry that says that it changed nothing.
  const [begun] = await db.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from audit_entries where action = any(${BEGUN}) and details ->> 'unchanged' is null`;
  return {
    // Events about a slow provider and about messages are not effects of a request.
    events: await db.event.count({ where: { eventType: { notIn: ['integration', 'message'] } } }),
    webhooks: await db.auditEntry.count({ where: { action: { startsWith: 'webhooks.' } } }),
    // These actions change Stripe's objects and emit an event only later, so their audit entries are counted.
    begun: begun!.count,
    patients: await db.patient.count(),
    appointments: await db.appointment.count({ where: { status: 'scheduled' } }),
    atAcuity: books!.appointments.length,
    canceledAtAcuity: books!.appointments.filter(({ canceled }) => canceled).length,
    atStripe: subscriptions.length,
    refundedAtStripe: refunds.length,
    canceledAtStripe: subscriptions.filter(({ status }) => status === 'canceled').length,
  };
}
async function effectsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countEffects();
  await work();
  const after = await countEffects();
  return Object.fromEntries(Object.entries(after).map(([what, count]) => [what, count - before[what]!]));
}

/** The effects of one uninterrupted request. */
const once = new Map<string, Record<string, number>>();
async function effectsOfOne(name: string): Promise<Record<string, number>> {
  if (!once.has(name)) {
    const keyed = await createKeyedRequest(name);
    const effects = await effectsOf(async () => expect((await send(keyed)).status).toBeLessThan(300));
    const traces = effects.events! + effects.webhooks! + effects.begun!;
    expect(traces, 'a request that does something leaves an event, or an entry of its own').toBeGreaterThan(0);
    once.set(name, effects);
  }
  return once.get(name)!;
}

/** Each route is killed, retried and replayed below; the short form runs one of these cases per route. */
describe.each(POSTS)('%s with an Idempotency-Key', { timeout: 120_000 }, (name) => {
  const isIn = (part: number) => LONG || POSTS.indexOf(name) % 4 === part;
  const { holdsSecrets = false } = ROUTES.find((route) => nameOf(route) === name)!;

  test.runIf(isIn(0))('replays the first response and does nothing', async () => {
    const keyed = await createKeyedRequest(name);
    const first = await send(keyed);
    expect(first.status).toBeLessThan(300);
    expect(isReplayed(first)).toBe(false);
    const nothing = await effectsOf(async () => {
      const second = await send(keyed);
      expect(second).toMatchObject({ status: first.status, body: first.body });
      expect(isReplayed(second)).toBe(true);
      expect(second.headers.location).toBe(first.headers.location);
      if (!holdsSecrets) expect((await sendAsIfUnstored(keyed)).body).toEqual(first.body);
    });
    expect(Object.values(nothing).every((count) => count === 0)).toBe(true);
  });

  test.runIf(isIn(1))(
    'runs once for concurrent requests; the others get idempotency_key_in_use or the same response',
    async () => {
      const due = await effectsOfOne(name);
      const keyed = await createKeyedRequest(name);
      const effects = await effectsOf(async () => {
        const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => send(keyed)));
        for (const response of responses)
          if (response.status >= 300) expect(codeOf(response)).toBe('idempotency_key_in_use');
        const [first, ...others] = responses.filter(({ status }) => status < 300).map(({ body }) => body);
        for (const other of others) expect(other).toEqual(first);
        expect(isReplayed(await send(keyed))).toBe(true);
        if (!holdsSecrets) expect((await sendAsIfUnstored(keyed)).body).toEqual(first);
      });
      expect(effects).toEqual(due);
    },
  );

  test.runIf(isIn(2))('rejects another body and does nothing', async () => {
    const keyed = await createKeyedRequest(name);
    const first = await send(keyed);
    const nothing = await effectsOf(async () => {
      const body = { ...(keyed.request.body as object), changed: true };
      expect(codeOf(await send(keyed, { body }))).toBe('idempotency_key_reused');
    });
    expect(Object.values(nothing).every((count) => count === 0)).toBe(true);
    expect(isReplayed(await send(keyed))).toBe(true);
    if (!holdsSecrets) expect((await sendAsIfUnstored(keyed)).body).toEqual(first.body);
  });

  test.runIf(isIn(3))('is separate for another caller and another tenant', async () => {
    const keyed = await createKeyedRequest(name);
    const first = await send(keyed);
    for (const others of [otherToken, otherTenantToken]) {
      const response = await send(keyed, { token: others });
      expect(isReplayed(response)).toBe(false);
      expect(codeOf(response) ?? '').not.toContain('idempotency');
      if (others === otherTenantToken && !OPEN_TO_ALL.includes(name))
        expect(response.status).toBeGreaterThanOrEqual(404);
      if (others === otherTenantToken && response.body?.id) expect(response.body.id).not.toBe(first.body.id);
    }
    expect((await send(keyed)).body).toEqual(first.body);
  });
});

const STORING_RESPONSE = { table: 'idempotency_keys', at: 'before update', when: 'new.status is not null' };
/** The points at which the process is killed, and whether the key stays held until its lease expires. */
const EVERY_KILL: [string, PausePoint, { leaves: boolean; jobs?: boolean; long?: true }][] = [
  ['before the key is held', { table: 'idempotency_keys', at: 'after insert' }, { leaves: false, long: true }],
  [
    'before the work',
    {
      tables: [
        ...['patients', 'processor_customers', 'subscriptions', 'appointments', 'webhook_endpoints'],
        ...['integrations', 'unknown_subscriptions', 'unmatched_appointments'],
      ],
    },
    { leaves: true, long: true },
  ],
  [
    'in the work, after the provider has done its part',
    { table: 'audit_entries', at: 'before insert' },
    { leaves: true },
  ],
  [
    'in the same place, and its job was first',
    { table: 'audit_entries', at: 'before insert' },
    { leaves: true, jobs: true, long: true },
  ],
  ['between the work and the stored response', STORING_RESPONSE, { leaves: false, long: true }],
];

const KILLS = EVERY_KILL.filter(([, , { long }]) => LONG || !long);
/** The short form kills the first request of each kind of object. */
const KILLED = POSTS.filter(
  (name, at) => LONG || POSTS.findIndex((other) => other.split('/')[1] === name.split('/')[1]) === at,
);

describe('a child process that is killed (SIGKILL)', { timeout: 240_000 }, () => {
  const startVictim = () => startHttpProcess(clinic.settings);
  const sendTo = (url: string, { key, request }: KeyedRequest) =>
    fetch(`${url}/api/v1${request.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    });
  const sum = (all: Record<string, number>[]) =>
    all.reduce((total, one) => Object.fromEntries(Object.entries(one).map(([k, n]) => [k, n + (total[k] ?? 0)])), {});

  test.each(KILLS)('%s: the retry completes the work exactly once', async (_, point, { leaves, jobs = false }) => {
    const due: Record<string, number>[] = [];
    for (const name of KILLED) due.push(await effectsOfOne(name));
    const keyedRequests: KeyedRequest[] = [];
    for (const name of KILLED) keyedRequests.push(await createKeyedRequest(name));
    const victim = await startVictim();
    const effects = await effectsOf(async () => {
      const halt = await pauseAt(clinic.database.ownerUrl, point);
      const lost = keyedRequests.map((keyed) =>
        sendTo(victim.url, keyed).then(
          (response) => response.text(),
          () => null,
        ),
      );
      await halt.reached(KILLED.length).catch(async (error) => {
        await halt.end();
        throw error;
      });
      await victim.kill();
      await Promise.all(lost);
      await halt.end();
      if (jobs) {
        passed += 3 * MINUTE;
        await runJobs(clinic.services, clinic.ctx.tenantId, ['resolve_appointment', 'resolve_subscription']);
      }
      for (const keyed of keyedRequests) {
        let response = await send(keyed);
        // A transaction that was halted too long has been terminated, and then the retry succeeds at once.
        while (leaves && codeOf(response) === 'idempotency_key_in_use') {
          await pause(Number(response.headers['retry-after']) * 1000);
          response = await send(keyed);
        }
        expect([keyed.name, response.status, codeOf(response)]).toEqual([
          keyed.name,
          ROUTES.find((route) => nameOf(route) === keyed.name)!.status ?? 200,
          undefined,
        ]);
        if (point === STORING_RESPONSE) expect(isReplayed(response)).toBe(true);
        const second = await send(keyed);
        expect(second.body).toEqual(response.body);
        expect(isReplayed(second)).toBe(true);
      }
    });
    expect(effects).toEqual(sum(due));
  });

  test.runIf(LONG)('after the response: another process replays it', async () => {
    const victim = await startVictim();
    for (const name of POSTS) {
      const keyed = await createKeyedRequest(name);
      const first = await (await sendTo(victim.url, keyed)).json();
      if (name === POSTS.at(-1)) await victim.kill();
      const second = await send(keyed);
      expect(second.body).toEqual(first);
      expect(isReplayed(second)).toBe(true);
    }
  });
});

test('a temporary error is not stored: the same request succeeds later', async () => {
  const keyed = await createKeyedRequest('POST /appointments');
  const body = keyed.request.body as { patient_id: string };
  const rival = await create('/patients', { first_name: 'Rival' });
  const { id } = (
    await clinic.rest.call({ method: 'POST', path: '/appointments', token, body: { ...body, patient_id: rival } })
  ).body;
  for (const _ of [1, 2]) {
    const rejected = await send(keyed);
    expect(codeOf(rejected)).toBe('slot_taken');
    expect(isReplayed(rejected)).toBe(false);
  }
  expect(codeOf(await send(keyed, { body: { ...body, metadata: {} } }))).toBe('idempotency_key_reused');
  await clinic.rest.call({ method: 'POST', path: `/appointments/${id}/cancel`, token, body: {} });
  expect((await send(keyed)).status).toBe(201);
  expect(isReplayed(await send(keyed))).toBe(true);
});

test('a permanent error is stored', async () => {
  const keyed: KeyedRequest = {
    name: 'POST /patients',
    key: newId(),
    request: { method: 'POST', path: '/patients', body: { first_name: 7 } },
  };
  expect((await send(keyed)).status).toBe(422);
  expect(isReplayed(await send(keyed))).toBe(true);
});

test('an equal booking without a key is marked as a replay of the first', async () => {
  const { request } = await createKeyedRequest('POST /appointments');
  const [first, second] = await Promise.all([1, 2].map(() => clinic.rest.call({ ...request, token })));
  expect([first!.status, second!.status]).toEqual([201, 201]);
  expect(second!.body).toEqual(first!.body);
  expect([first!, second!].filter(isReplayed)).toHaveLength(1);
});

/**
 * Runs last, because it advances the clock. All routes share one key table, so the short form takes an eighth of them.
 */
const AFTER_A_DAY = POSTS.filter((_, index) => LONG || index % 8 === 0);
describe.each(AFTER_A_DAY)('%s after a day', { timeout: 60_000 }, (name) => {
  test('accepts the key as new for any request', async () => {
    const [same, changed] = [await createKeyedRequest(name), await createKeyedRequest(name)];
    for (const keyed of [same, changed]) expect((await send(keyed)).status).toBeLessThan(300);
    passed += 24 * HOUR - MINUTE;
    await signIn();
    expect(isReplayed(await send(same))).toBe(true);
    passed += MINUTE;
    const second = await send(same);
    expect(isReplayed(second)).toBe(false);
    expect(codeOf(second) ?? '').not.toContain('idempotency');
    const body = { ...(changed.request.body as object), changed: true };
    expect(codeOf(await send(changed, { body }))).toBe('unknown_parameter');
    passed -= 24 * HOUR;
    await signIn();
  });
});
