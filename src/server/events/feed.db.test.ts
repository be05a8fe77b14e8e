import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PAGE_SIZE } from '#contract/conventions.ts';
import type { EventView, ListEventsInput } from '#contract/events.ts';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { SANDBOX, type Sandbox, withClinic } from '#dev/testing/clinic.ts';
import { startConsumer } from '#dev/testing/feed-consumer.ts';
import { connectTo } from '#dev/testing/invariants/tenant-walk.ts';
import {
  describeScans,
  explaining,
  type PlanNode,
  pagesTouchedBy,
  rowsReadBy,
  scansOf,
} from '#dev/testing/query-plan.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { type EventName, record } from '#server/core/record.ts';
import { listEvents } from './list-events.ts';
import { getEvent, listLatestEvents } from './router.ts';

let clinic: Sandbox;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
});
afterAll(() => clinic?.stop());

/** A new tenant, with a system context and an application. */
async function newFeed() {
  const tenant = await makeTenant(clinic.services);
  const ctx = systemContext(clinic.services, tenant.id, 'test');
  const recordEvent = (event: EventName, objectId = newId(), patientId: string | null = null) =>
    ctx.db.$transaction((tx) =>
      record(tx, ctx, {
        action: 'patients.update',
        object: { type: 'Test', id: objectId },
        patientId,
        event,
        payload: { id: objectId },
      }),
    );
  const numbered = (count: number) => expect.poll(() => ctx.db.eventNumber.count(), { timeout: 10_000 }).toBe(count);
  return { tenant, ctx, app: asApplication(clinic.services, tenant), recordEvent, numbered };
}
const rejection = (request: Promise<unknown>) =>
  request.then(
    () => 'let through',
    (error) => error.faults?.[0] ?? error,
  );
const sequences = (events: EventView[]) => events.map(({ sequence }) => sequence);

test('the API returns an event in the envelope of the contract, with the read-through sequence', async () => {
  const token = await clinic.token(await clinic.application(clinic.ctx));
  const call = (path: string) => clinic.rest.call({ method: 'GET', path, token });
  const created = await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: 'Ada' } });
  const { headers, body } = await call(`/events?patient_id=${created.body.id}&wait=10`);
  expect(body).toEqual([
    {
      id: expect.any(String),
      sequence: expect.any(Number),
      event_name: 'Patient Created',
      event_type: 'patient',
      event_topic: 'created',
      tenant_id: clinic.ctx.tenantId,
      patient_id: created.body.id,
      author_type: 'Application',
      author_id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      time: expect.any(Number),
      payload: created.body,
    },
  ]);
  const [{ id, sequence, time, created_at }] = body;
  expect(time).toBe(Math.floor(Date.parse(created_at) / 1000));
  expect(headers).toMatchObject({ 'oldest-sequence': '1', 'read-through-sequence': headers['newest-sequence'] });
  expect(Number(headers['newest-sequence'])).toBeGreaterThanOrEqual(sequence);
  expect((await call(`/events/${id}`)).body).toEqual(body[0]);
  expect((await call(`/events/${newId()}`)).status).toBe(404);
});

test('numbered pages cover the stored events, oldest first, with and without a filter', async () => {
  const { ctx, app, recordEvent, numbered } = await newFeed();
  const [ada, ben] = [newId(), newId()];
  for (let n = 0; n < 7; n++) await recordEvent('patient.updated', n % 2 ? ada : ben, n % 2 ? ada : ben);
  await numbered(7);
  const page = async (input: Partial<ListEventsInput>) => {
    const { items, totals } = await listEvents(app, input);
    return [sequences(items), totals];
  };
  expect(await page({ page: 1, size: 3 })).toEqual([[1, 2, 3], { count: 7, pages: 3, page: 1 }]);
  expect(await page({ page: 3, size: 3 })).toEqual([[7], { count: 7, pages: 3, page: 3 }]);
  expect(await page({ page: 4, size: 3 })).toEqual([[], { count: 7, pages: 3, page: 4 }]);
  expect(await page({ page: 1_000_000, size: 1000 })).toEqual([[], { count: 7, pages: 1, page: 1_000_000 }]);
  for (const filter of [{ patient_id: ada }, { object_id: ada }])
    expect(await page({ ...filter, page: 2, size: 2 })).toEqual([[6], { count: 3, pages: 2, page: 2 }]);
  const updates = { event_type: ['patient' as const], event_topic: ['updated' as const] };
  expect(await page({ ...updates, page: 2, size: 5 })).toEqual([[6, 7], { count: 7, pages: 2, page: 2 }]);
  expect(await page({ ...updates, patient_id: ben, page: 2, size: 3 })).toEqual([[7], { count: 4, pages: 2, page: 2 }]);
  await ctx.db.eventFeed.updateMany({ data: { oldestSequence: 3 } });
  expect(await page({ page: 1, size: 3 })).toEqual([[3, 4, 5], { count: 5, pages: 2, page: 1 }]);
  expect(await page({ patient_id: ada, page: 1 })).toEqual([[4, 6], { count: 2, pages: 1, page: 1 }]);
});

describe('a filter', () => {
  test('returns the matching events, and how far the feed was read', async () => {
    const { app, recordEvent, numbered } = await newFeed();
    const [patient, appointment] = [newId(), newId()];
    await recordEvent('patient.created', patient, patient);
    await recordEvent('appointment.scheduled', appointment, patient);
    await recordEvent('subscription.created', 'sub_1', newId());
    await recordEvent('appointment.canceled', appointment, patient);
    await recordEvent('integration.connected', 'stripe');
    await numbered(5);
    const read = async (input: ListEventsInput) => {
      const { items, readThrough } = await listEvents(app, input);
      return [sequences(items), readThrough];
    };
    expect(await read({})).toEqual([[1, 2, 3, 4, 5], 5]);
    expect(await read({ event_type: ['appointment'] })).toEqual([[2, 4], 5]);
    expect(await read({ event_type: ['appointment', 'integration'], size: 2 })).toEqual([[2, 4], 4]);
    expect(await read({ event_topic: ['created'], after_sequence: 1 })).toEqual([[3], 5]);
    expect(await read({ patient_id: patient, event_topic: ['created', 'canceled'] })).toEqual([[1, 4], 5]);
    expect(await read({ object_id: appointment, patient_id: patient })).toEqual([[2, 4], 5]);
    expect(await read({ object_id: appointment, patient_id: newId() })).toEqual([[], 5]);
    expect(await read({ event_type: ['message'] })).toEqual([[], 5]);
  });

  test('reads a bounded part of a long feed, regardless of where and how rarely it matches', {
    timeout: 60_000,
  }, async () => {
    const { ctx, tenant } = await newFeed();
    const owner = await connectTo(clinic.database.ownerUrl);
    // Two names, both in every sample of `analyze`: with statistics of a single name, any index of the feed looks
    // equally good.
    await owner.query(
      `with made as (
         insert into event_numbers select $1, n, gen_random_uuid(), now(), case n % 50 when 0 then 'visit' else 'patient' end,
           case n % 50 when 0 then 'ended' else 'updated' end, (n % 1000)::text, null
         from generate_series(1, 60000) n returning 1)
       insert into event_feeds (tenant_id, last_sequence) values ($1, 60000)`,
      [tenant.id],
    );
    await owner.query('analyze event_numbers');
    await owner.end();
    const filters: [ListEventsInput, string][] = [
      [{}, 'event_numbers_pkey'],
      [{ event_type: ['integration'] }, 'event_numbers_tenant_id_event_type_event_topic_sequence_idx'],
      [{ event_topic: ['created'] }, 'event_numbers_tenant_id_event_type_event_topic_sequence_idx'],
      [{ object_id: '7' }, 'event_numbers_tenant_id_object_id_sequence_idx'],
      [{ patient_id: newId() }, 'event_numbers_tenant_id_patient_id_sequence_idx'],
    ];
    for (const after_sequence of [0, 30_000, 59_990])
      for (const [filter, index] of filters) {
        const plans: PlanNode[] = [];
        await listEvents(
          explaining(ctx, (plan) => plans.push(plan), false),
          { after_sequence, ...filter },
        );
        const [plan] = plans;
        const about = `${JSON.stringify({ after_sequence, ...filter })}: ${describeScans(plan!)}`;
        const numbers = scansOf(plan!).filter((scan) => scan['Relation Name'] === 'event_numbers');
        expect(
          numbers.map((scan) => scan['Index Name']),
          about,
        ).toEqual([index]);
        expect(rowsReadBy(plan!), about).toBeLessThanOrEqual(2 * DEFAULT_PAGE_SIZE);
        if (process.env.PROVE) expect(pagesTouchedBy(plan!), about).toBeLessThan(300);
      }
  });
});

/** Seconds; a response that arrives earlier was not caused by the timeout. */
const WAIT = 20;
const BEFORE_ITS_TIME_MS = (WAIT - 1) * 1000;

describe('a long poll', () => {
  test('returns a matching event immediately, and ignores others', async () => {
    const { app, recordEvent } = await newFeed();
    const appointment = newId();
    const all = listEvents(app, { wait: WAIT });
    const some = listEvents(app, { wait: WAIT, object_id: appointment });
    await pause(300);
    const notifiedAt = performance.now();
    await recordEvent('patient.created');
    expect(sequences((await all).items)).toEqual([1]);
    await recordEvent('appointment.scheduled', appointment);
    expect(sequences((await some).items)).toEqual([2]);
    expect(performance.now() - notifiedAt).toBeLessThan(BEFORE_ITS_TIME_MS);
  });

  test('returns an empty list after its timeout', async () => {
    const { app } = await newFeed();
    const since = performance.now();
    expect(await listEvents(app, { wait: 1 })).toEqual({ items: [], oldest: 1, newest: 0, readThrough: 0 });
    expect(performance.now() - since).toBeGreaterThan(900);
  });

  test('sees events numbered by another process, also after its listening connection was cut', async () => {
    const { tenant, app, ctx } = await newFeed();
    const owner = await connectTo(clinic.database.ownerUrl);
    const recordElsewhere = async () => {
      await owner.query(
        `insert into events (id, tenant_id, event_type, event_topic, object_id, author_type, author_id, payload)
         values (gen_random_uuid(), $1, 'patient', 'updated', 'x', 'System', 'test', '{}')`,
        [tenant.id],
      );
      await owner.query(`select set_config('app.tenant_id', $1, false)`, [tenant.id]);
      await owner.query('select carelane_number_events(10)');
    };
    const first = listEvents(app, { wait: 20 });
    await pause(300);
    await recordElsewhere();
    expect(sequences((await first).items)).toEqual([1]);
    const second = listEvents(app, { wait: 20, after_sequence: 1 });
    await pause(300);
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'carelane ear' and datname = current_database()`,
    );
    await recordElsewhere();
    expect(sequences((await second).items)).toEqual([2]);
    expect(await ctx.db.eventNumber.count()).toBe(2);
    await owner.end();
  });

  test('holds no connection: a hundred can wait while a pool of seven serves others', async () => {
    const { app, recordEvent } = await newFeed();
    const pending = Array.from({ length: 100 }, () => listEvents(app, { wait: WAIT, event_type: ['visit'] }));
    let answered = 0;
    for (const one of pending) one.then(() => (answered += 1));
    await pause(1_000);
    await recordEvent('patient.created');
    expect((await listEvents(app, {})).readThrough).toBeLessThanOrEqual(1);
    // Connections held by the waiting requests would be free only after the wait.
    expect(answered).toBe(0);
    await recordEvent('visit.started');
    for (const { items } of await Promise.all(pending)) expect(sequences(items)).toEqual([2]);
  });

  test.each([0, 300])('ends when the client disconnects after %i ms', async (ms) => {
    const { app } = await newFeed();
    const caller = new AbortController();
    const since = performance.now();
    if (ms === 0) caller.abort();
    const request = listEvents({ ...app, abortSignal: () => caller.signal }, { wait: WAIT });
    await pause(ms);
    caller.abort();
    expect((await request).items).toEqual([]);
    expect(performance.now() - since).toBeLessThan(BEFORE_ITS_TIME_MS);
  });
});

test('consumers with any page size and wait receive each event once, with and without a filter', async () => {
  const { app, recordEvent } = await newFeed();
  console.info(`feed: SEED=${SEED}`);
  const random = seededRandom();
  const patients = [newId(), newId(), newId()];
  const names: EventName[] = [
    'patient.updated',
    'appointment.scheduled',
    'subscription.updated',
    'appointment.canceled',
  ];
  const filters: Partial<ListEventsInput>[] = [{}, { event_type: ['appointment'] }, { patient_id: patients[1]! }];
  const consumers = filters.map((filter) => startConsumer(app, filter, random));
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 60; n += 1)
        await recordEvent(names[Math.floor(random() * 4)]!, newId(), patients[Math.floor(random() * 3)]!);
    }),
  );
  await expect.poll(async () => (await listEvents(app, {})).newest, { timeout: 10_000 }).toBe(240);
  const [all, appointments, ofOne] = await Promise.all(consumers.map((one) => one.stop()));
  expect(sequences(all!)).toEqual(Array.from({ length: 240 }, (_, index) => index + 1));
  expect(appointments).toEqual(all!.filter(({ event_type }) => event_type === 'appointment'));
  expect(ofOne).toEqual(all!.filter(({ patient_id }) => patient_id === patients[1]));
});

describe('the feed rejects', () => {
  test('an expired sequence, naming the oldest, and a sequence that does not exist yet', async () => {
    const { app, ctx, recordEvent, numbered } = await newFeed();
    for (let n = 0; n < 3; n += 1) await recordEvent('patient.updated');
    await numbered(3);
    await ctx.db.eventNumber.updateMany({ where: { sequence: { lt: 3 } }, data: { eventCreatedAt: new Date(0) } });
    // The number is still there, the event is not.
    const expired = { code: 'events_expired', meta: { oldest_sequence: 3 }, source: { parameter: 'after_sequence' } };
    expect(await rejection(listEvents(app, { after_sequence: 0 }))).toMatchObject(expired);
    await expect(listEvents(app, { after_sequence: 0 })).rejects.toMatchObject({ headers: { 'oldest-sequence': '3' } });
    await ctx.db.$queryRaw`select carelane_forget_numbers(now() - interval '1 day')`;
    expect(await rejection(listEvents(app, { after_sequence: 1 }))).toMatchObject(expired);
    expect(sequences((await listEvents(app, { after_sequence: 2 })).items)).toEqual([3]);
    expect(await listEvents(app, {})).toMatchObject({ oldest: 3, newest: 3, items: [{ sequence: 3 }] });
    expect(await rejection(listEvents(app, { after_sequence: 4 }))).toMatchObject({
      code: 'invalid_parameter',
      meta: { newest_sequence: 3 },
    });
  });

  test('an invalid sequence, and filters that match no event type', async () => {
    const token = await clinic.token(await clinic.application(clinic.ctx));
    const errorOf = async (query: string) => {
      const { status, body } = await clinic.rest.call({ method: 'GET', path: `/events?${query}`, token });
      return [status, body.errors?.[0].code, body.errors?.[0].source];
    };
    const wrong = (parameter: string) => [422, 'invalid_parameter', { parameter }];
    for (const sequence of ['-1', '1.5', 'x', '', '99999999999999999999', '900000000000000', '1e3', '%00'])
      expect(await errorOf(`after_sequence=${sequence}`), sequence).toEqual(wrong('after_sequence'));
    for (const wait of ['31', '-1', 'x']) expect(await errorOf(`wait=${wait}`)).toEqual(wrong('wait'));
    expect(await errorOf('event_type=patients')).toEqual(wrong('event_type'));
    expect(await errorOf('event_type=patient&event_topic=scheduled')).toEqual(wrong('event_topic'));
    expect(await errorOf('type=patient')).toEqual([422, 'unknown_parameter', { parameter: 'type' }]);
  });

  test('callers without events:read, or without the read scope of the type', async () => {
    const { tenant, ctx, recordEvent, numbered } = await newFeed();
    await recordEvent('appointment.scheduled');
    await numbered(1);
    const { eventId } = await ctx.db.eventNumber.findFirstOrThrow();
    const forbidden = { code: 'forbidden' };
    const as = (...scopes: Scope[]) => asApplication(clinic.services, tenant, scopes);
    const noEvents = as(...SCOPES.filter((scope) => scope !== 'events:read' && scope !== 'admin'));
    for (const one of [
      noEvents,
      asPatient(clinic.services, tenant, newId()),
      asPatient(clinic.services, tenant, newId(), newId()),
      asPractitioner(clinic.services, tenant),
    ]) {
      expect(await rejection(listEvents(one, { event_type: ['appointment'] }))).toMatchObject(forbidden);
      expect(await rejection(listLatestEvents(one, { event_type: ['appointment'] }))).toMatchObject(forbidden);
      expect(await rejection(getEvent(one, { id: eventId }))).toMatchObject(forbidden);
    }
    const ofPatients = as('events:read', 'patients:read');
    expect(await rejection(listEvents(ofPatients, {}))).toMatchObject({
      ...forbidden,
      detail: expect.stringContaining('subscription, appointment, visit, task, integration need the scope'),
    });
    expect(await rejection(listEvents(ofPatients, { event_type: ['patient', 'appointment'] }))).toMatchObject(
      forbidden,
    );
    expect(await rejection(listEvents(ofPatients, { event_topic: ['created'] }))).toMatchObject(forbidden);
    expect(await rejection(getEvent(ofPatients, { id: eventId }))).toMatchObject(forbidden);
    expect((await listEvents(ofPatients, { event_type: ['patient'] })).items).toEqual([]);
    expect(
      (await listEvents(as('events:read', 'appointments:read'), { event_type: ['appointment'] })).items,
    ).toHaveLength(1);
    expect((await listEvents(as('admin'), {})).items).toHaveLength(1);
    expect((await getEvent(asAdmin(clinic.services, tenant), { id: eventId })).id).toBe(eventId);
    const otherTenant = (await newFeed()).app;
    expect(await rejection(getEvent(otherTenant, { id: eventId }))).toMatchObject({ code: 'not_found' });
    expect((await listEvents(otherTenant, {})).items).toEqual([]);
  });
});

test('the portal lists the newest first, in pages', async () => {
  const { tenant, recordEvent, numbered } = await newFeed();
  const admin = asAdmin(clinic.services, tenant);
  for (let n = 0; n < 5; n += 1) await recordEvent(n % 2 ? 'patient.updated' : 'appointment.changed');
  await numbered(5);
  const first = await listLatestEvents(admin, { size: 2 });
  expect(sequences(first.items)).toEqual([5, 4]);
  const second = await listLatestEvents(admin, { size: 2, starting_after: first.next! });
  expect(sequences(second.items)).toEqual([3, 2]);
  expect(sequences((await listLatestEvents(admin, { size: 2, ending_before: second.prev! })).items)).toEqual([5, 4]);
  expect(sequences((await listLatestEvents(admin, { event_type: ['patient'] })).items)).toEqual([4, 2]);
  expect(await rejection(listLatestEvents(admin, { starting_after: newId() }))).toMatchObject({
    code: 'invalid_parameter',
  });
});

test('a process that shuts down responds to its long polls immediately', async () => {
  const { app } = await newFeed();
  const since = performance.now();
  const request = listEvents(app, { wait: WAIT });
  await pause(300);
  clinic.services.events.endAll();
  expect((await request).items).toEqual([]);
  expect((await listEvents(app, { wait: WAIT })).items).toEqual([]);
  expect(performance.now() - since).toBeLessThan(BEFORE_ITS_TIME_MS);
});
