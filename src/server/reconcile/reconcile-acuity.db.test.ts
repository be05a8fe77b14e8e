import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { compareFor } from '#dev/testing/reconciling.ts';
import { ALDER, claimsOf, dayAhead, FOLLOW_UP, JUNIPER, LOCATION_FIELD, ROWAN } from '#dev/testing/scheduling.ts';
import { signAcuity } from '#dev/testing/sign-acuity.ts';
import { HOUR } from '#server/core/clock.ts';
import { createCallerFactory } from '#server/core/trpc.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { getAcuityIntegration } from '#server/integrations/list-integrations.ts';
import { disconnectAcuity, integrationsRouter } from '#server/integrations/router.ts';
import { acuityCredentialsOf } from '#server/integrations/scheduling-account.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { processAcuityEvent, receiveAcuityWebhook } from '#server/scheduling/sync/acuity-webhook.ts';
import { reconcileAcuity } from './reconcile-acuity.ts';

const LONG = Boolean(process.env.PROVE);
/** The fast run covers only the steps of one comparison, which starts immediately. */
const BOUND = LONG ? 1 : 6 / 12;

let clinic: Booking;
/** Each comparison here starts later than the one before. */
let now: Date;
const calls: string[] = [];
const realFetch = globalThis.fetch;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
  now = new Date();
  globalThis.fetch = (input, init) => {
    // Only calls from the service: the emulator sends its webhooks from this process too.
    if (String(input).startsWith(clinic.services.config.acuity.apiUrl))
      calls.push(`${init?.method ?? 'GET'} ${String(input)}`);
    return realFetch(input, init);
  };
});
afterEach(() => clinic.acuity.control('DELETE', 'faults'));
afterAll(async () => {
  globalThis.fetch = realFetch;
  await clinic?.stop();
});

const bound = async (bounds = BOUND) => {
  if (!LONG) await clinic.ctx.db.schedulingReconcile.updateMany({ data: { passStartedAt: null } });
  now = await compareFor(clinic.services, clinic.tenant.id, { from: now, bounds });
};
const view = () => getAcuityIntegration(asAdmin(clinic.services, clinic.tenant));
const timesOf = async () => (await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date);
const book = async (from_date: string) => bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id: ROWAN }));
const rowOf = (providerAppointmentId: number) =>
  clinic.ctx.db.appointment.findFirst({ where: { providerAppointmentId } });
const inConsole = (datetime: string, email: string) =>
  clinic.acuity.console('POST', '/appointments?admin=true', {
    ...{ datetime, appointmentTypeID: FOLLOW_UP, calendarID: ROWAN, firstName: 'Ada', lastName: 'Example', email },
  });
const repairsOf = async (objectId: string) =>
  (await clinic.ctx.db.schedulingRepair.findMany({ where: { objectId } })).map(({ what }) => what);
const integrationTopics = async () =>
  (await clinic.ctx.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );
/** Delivers a webhook of that appointment and marks it as processed. */
async function received(id: number) {
  await clinic.ctx.db.inboundEvent.deleteMany();
  await deliver(id);
  await clinic.ctx.db.inboundEvent.updateMany({ data: { receivedAt: now, processedAt: now } });
  await bound();
}
const deliver = (id: number) => {
  const rawBody = `action=appointment.changed&id=${id}`;
  return receiveAcuityWebhook(clinic.services, {
    tenantId: clinic.tenant.id,
    rawBody,
    header: () => signAcuity(rawBody, clinic.acuity.account.api_key),
  });
};

describe('a change at Acuity without a webhook', () => {
  it('is applied within the bound and counted: booked, rescheduled, canceled, no-show, location', async () => {
    const times = await timesOf();
    const appointments = await Promise.all([0, 2, 4, 6].map((at) => book(times[at]!)));
    const [moved, canceled, missed, elsewhere] = appointments.map(
      ({ provider_appointment_id }) => provider_appointment_id!,
    );
    await bound();
    const before = (await view()).sync!.repaired;
    await clinic.acuity.console('PUT', `/appointments/${moved}/reschedule?admin=true`, { datetime: times[8] });
    await clinic.acuity.console('PUT', `/appointments/${canceled}/cancel?admin=true`, {});
    await clinic.acuity.console('PUT', `/appointments/${missed}/cancel?admin=true`, { noShow: true });
    const fields = [{ id: LOCATION_FIELD, value: '1 Example Street' }];
    await clinic.acuity.console('PUT', `/appointments/${elsewhere}?admin=true`, { fields });
    const adopted = await inConsole(times[10]!, 'ada@example.test');
    const withoutPatient = await inConsole(times[12]!, 'unknown@example.test');
    await bound();
    expect(await rowOf(moved!)).toMatchObject({ startAt: new Date(times[8]!), status: 'scheduled' });
    expect(await rowOf(canceled!)).toMatchObject({ status: 'canceled', canceledBecause: null });
    expect(await rowOf(missed!)).toMatchObject({ status: 'no_show' });
    expect(await rowOf(elsewhere!)).toMatchObject({ location: '1 Example Street' });
    expect(await rowOf(adopted.id)).toMatchObject({ patientId: clinic.patientId, status: 'scheduled' });
    expect(
      await clinic.ctx.db.unmatchedAppointment.count({ where: { providerAppointmentId: withoutPatient.id } }),
    ).toBe(1);
    expect(await Promise.all(appointments.map(({ id }) => repairsOf(id)))).toEqual([
      ['rescheduled'],
      ['canceled'],
      ['changed'],
      ['changed'],
    ]);
    expect(await repairsOf(String(withoutPatient.id))).toEqual(['unmatched']);
    const { sync } = await view();
    expect(sync).toMatchObject({ repaired: before + 6, answered: true, bound_seconds: 30, unmatched: 1 });
    expect(sync!.last_reconcile_at).not.toBeNull();
    expect(sync!.compared).toBeGreaterThan(5);
  });

  it('is compared immediately when an admin checks the connection', async () => {
    const { provider_appointment_id } = await book((await timesOf())[0]!);
    now = await compareFor(clinic.services, clinic.tenant.id, { from: now, bounds: 6 / 12 });
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    const key = `reconcile_acuity:${clinic.tenant.id}`;
    await bound(1 / 12);
    await clinic.ctx.db.$executeRaw`delete from graphile_worker._private_jobs where key = ${key}`;
    const admin = { ...asAdmin(clinic.services, clinic.tenant), clock: { now: () => now } };
    await createCallerFactory(integrationsRouter)(admin).check({ provider: 'acuity' });
    const jobs = await clinic.ctx.db.$queryRaw<{ due: boolean }[]>`
      select run_at <= ${now}::timestamptz as due from graphile_worker._private_jobs where key = ${key}`;
    expect(jobs).toEqual([{ due: true }]);
    now = await compareFor(clinic.services, clinic.tenant.id, { from: now, bounds: 6 / 12 });
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'canceled' });
  });

  it('cancels an appointment that is gone at Acuity, with a reason, and restores it when it reappears', async () => {
    const times = await timesOf();
    const { id, provider_appointment_id } = await book(times[0]!);
    await bound();
    const books = clinic.acuity.booked();
    const [removed] = books.splice(
      books.findIndex((one) => one.id === provider_appointment_id),
      1,
    );
    await bound();
    expect(await rowOf(provider_appointment_id!)).toMatchObject({
      status: 'canceled',
      canceledBecause: 'gone_at_provider',
    });
    expect(await claimsOf(clinic.ctx, id)).toEqual([]);
    expect(await repairsOf(id)).toEqual(['gone']);
    const event = await clinic.ctx.db.event.findFirstOrThrow({ where: { objectId: id, eventTopic: 'canceled' } });
    expect(event.payload).toMatchObject({ canceled_because: 'gone_at_provider' });
    books.push(removed!);
    await bound();
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'scheduled', canceledBecause: null });
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
  });

  it('is not counted when its webhook arrives before the read', async () => {
    const times = await timesOf();
    const { id, provider_appointment_id } = await book(times[0]!);
    await bound();
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await deliver(provider_appointment_id!);
    const event = await clinic.ctx.db.inboundEvent.findFirstOrThrow({ where: { processedAt: null } });
    await processAcuityEvent(clinic.services, { tenantId: clinic.tenant.id, provider: 'acuity', id: event.id });
    await bound();
    expect(await repairsOf(id)).toEqual([]);
  });

  it('waits while Acuity is down, and is applied once it responds again', async () => {
    const times = await timesOf();
    const { id, provider_appointment_id } = await book(times[0]!);
    await bound();
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await clinic.acuity.fault('503', {}, 1000);
    await bound();
    expect((await view()).sync).toMatchObject({ answered: false });
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'scheduled' });
    await clinic.acuity.control('DELETE', 'faults');
    await bound();
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'canceled' });
    expect(await repairsOf(id)).toEqual(['canceled']);
  });
});

describe('the comparison', () => {
  it('makes few calls for a quiet clinic, and reads no unchanged appointment singly', async () => {
    await received(1);
    await bound();
    calls.length = 0;
    await bound(1);
    const kinds = calls.map((call) => call.replace(/^(\w+) .*\/api\/v1(\/\w+).*$/, '$1 $2'));
    expect(new Set(kinds)).toEqual(new Set(['GET /appointments', 'GET /webhooks']));
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  it('splits days that exceed one response, and remembers the split', async () => {
    const books = clinic.acuity.booked();
    const [one] = books;
    const many = Array.from({ length: 1200 }, (_, index) => ({
      ...one!,
      id: 800_000_000 + index,
      startAt: Date.now() + ((index % 60) + 1) * 24 * HOUR,
      endAt: Date.now() + ((index % 60) + 1) * 24 * HOUR + 1_800_000,
      canceled: true,
    }));
    books.push(...many);
    await bound();
    const state = await clinic.ctx.db.schedulingReconcile.findFirstOrThrow();
    expect(state.compared).toBeGreaterThanOrEqual(1200);
    calls.length = 0;
    await bound(1);
    expect(calls.filter((call) => call.includes('/appointments?')).length).toBeLessThanOrEqual(16);
    books.splice(books.length - many.length, many.length);
    await bound();
  });

  it('continues with the others when one appointment is unreadable', async () => {
    const times = await timesOf();
    const { id, provider_appointment_id } = await book(times[0]!);
    const odd = await book(times[4]!);
    await bound();
    const { provider_appointment_id: oddId } = odd;
    const at = clinic.acuity.booked().find((one) => one.id === oddId)!;
    // The name of its type is invalid.
    Object.assign(at, { typeName: 7 });
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await bound();
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'canceled' });
    expect(await repairsOf(id)).toEqual(['canceled']);
    expect(await rowOf(oddId!)).toMatchObject({ status: 'scheduled' });
    Object.assign(at, { typeName: 'Follow-up visit' });
    await bound();
  });

  it('stores an appointment of a type without a duration', async () => {
    const times = await timesOf();
    const type = clinic.acuity.types().find(({ id }) => id === FOLLOW_UP)!;
    const { duration } = type;
    type.duration = 0;
    const booking = await inConsole(times[0]!, 'unmatched@example.test');
    type.duration = duration;
    await bound();
    const where = { providerAppointmentId: booking.id };
    const { startAt, endAt } = await clinic.ctx.db.unmatchedAppointment.findFirstOrThrow({ where });
    expect(endAt.getTime() - startAt.getTime()).toBe(60_000);
  });

  it('compares a day that exceeds one response calendar by calendar', async () => {
    const times = await timesOf();
    const { provider_appointment_id } = await book(times[0]!);
    await bound();
    const books = clinic.acuity.booked();
    const [one] = books.filter(({ id }) => id === provider_appointment_id);
    const many = Array.from({ length: 900 }, (_, index) => ({
      ...one!,
      id: 810_000_000 + index,
      // Acuity lists the latest first.
      startAt: one!.startAt + 60_000 * (1 + (index % 300)),
      calendarId: index % 2 ? ALDER : JUNIPER,
      canceled: true,
    }));
    books.push(...many);
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await bound();
    await bound();
    books.splice(books.length - many.length, many.length);
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'canceled', canceledBecause: null });
  });

  it('has one runner at a time, and another after a crash', async () => {
    const at = (time: Date) => ({ ...clinic.services, clock: { now: () => time } });
    await clinic.ctx.db.schedulingReconcile.updateMany({
      data: { runner: clinic.tenant.id, leasedUntil: new Date(now.getTime() + 20_000), passStartedAt: null },
    });
    calls.length = 0;
    await reconcileAcuity(at(now), { tenantId: clinic.tenant.id });
    expect(calls).toEqual([]);
    now = new Date(now.getTime() + 40_000);
    await reconcileAcuity(at(now), { tenantId: clinic.tenant.id });
    expect(calls).not.toEqual([]);
  });

  it('is continued by the next step after an internal error', async () => {
    const { db } = clinic.ctx;
    const key = `reconcile_acuity:${clinic.tenant.id}`;
    await bound(1 / 12);
    await db.$executeRaw`delete from graphile_worker._private_jobs where key = ${key}`;
    await db.schedulingReconcile.updateMany({ data: { passStartedAt: now, passEndedAt: null, passLeft: [null] } });
    await reconcileAcuity({ ...clinic.services, clock: { now: () => now } }, { tenantId: clinic.tenant.id });
    const state = await db.schedulingReconcile.findFirstOrThrow();
    expect(state).toMatchObject({ lastError: expect.stringMatching(/^internal_error/), runner: null });
    expect(await db.$queryRaw`select attempts from graphile_worker._private_jobs where key = ${key}`).toHaveLength(1);
    await db.schedulingReconcile.updateMany({ data: { passStartedAt: null, passLeft: [] } });
  });
});

describe('a change at Acuity before the webhook was registered', () => {
  it.each([
    ['connects again in the middle of a comparison', ['connected'], 6],
    ['connects for the first time', ['connected'], 3],
    ['has its deleted webhook registered again', [], 3],
  ])('is neither silence nor a repair when the clinic %s', async (how, topics, steps) => {
    const { db } = clinic.ctx;
    const moved = { ...clinic.ctx, clock: { now: () => now } };
    await received(1);
    await db.inboundEvent.deleteMany();
    const connects = topics.length > 0;
    if (how.includes('middle')) {
      const windows = [0, 10, 20, 30].map((day) => ({ first: dayAhead(day), last: dayAhead(day + 9) }));
      await db.schedulingReconcile.updateMany({ data: { windows } });
      await bound(1 / 12);
    }
    if (connects) await disconnectAcuity(moved, { account_id: clinic.acuity.account.user_id });
    else clinic.acuity.hooks().splice(0);
    if (how.endsWith('first time')) {
      await db.schedulingReconcile.deleteMany();
      await db.integration.deleteMany({ where: { provider: 'acuity' } });
    }
    const before = Number((await db.schedulingReconcile.findFirst())?.repaired ?? 0);
    const topicCount = (await integrationTopics()).length;
    const books = clinic.acuity.booked();
    const startAt = new Date(now.getTime() + 48 * HOUR).setMinutes(0, 0, 0);
    // More than are read until the next comparison.
    const many = Array.from({ length: 25 }, (_, index) => ({
      ...books[0]!,
      ...{ id: 820_000_000 + index, email: 'unknown@example.test', canceled: false },
      ...{ startAt: startAt + index * HOUR, endAt: startAt + index * HOUR + 1_800_000 },
    }));
    books.push(...many);
    if (connects) await connectAcuity(moved, clinic.acuity.account);
    now = await compareFor(clinic.services, clinic.tenant.id, { from: now, bounds: steps / 12 });
    await bound(LONG ? 3 : 1.25);
    const ofThem = { where: { providerAppointmentId: { in: many.map(({ id }) => id) } } };
    expect(await db.unmatchedAppointment.count(ofThem)).toBe(many.length);
    const { status, sync } = await view();
    // Registering the webhook again is a repair, but alone no sign of silence.
    expect([status, sync!.repaired - before]).toEqual(['connected', connects ? 0 : 1]);
    expect((await integrationTopics()).slice(topicCount)).toEqual(topics);
    books.splice(books.length - many.length, many.length);
    await db.unmatchedAppointment.deleteMany(ofThem);
  });
});

describe('the webhook at Acuity', () => {
  it.each([
    ['missing', () => clinic.acuity.hooks().splice(0)],
    ['switched off', () => Object.assign(clinic.acuity.hooks()[0]!, { status: 'disabled' })],
    [
      'aimed elsewhere',
      () => Object.assign(clinic.acuity.hooks()[0]!, { target: `https://old.example.test${PATH()}` }),
    ],
  ])('is registered again when it is %s', async (_, change) => {
    await bound();
    change();
    await bound();
    const [hook, ...others] = clinic.acuity.hooks();
    expect(others).toEqual([]);
    expect(hook).toMatchObject({ event: 'appointment.changed', target: clinic.services.config.publicUrl + PATH() });
    expect(hook).not.toMatchObject({ status: 'disabled' });
    expect(await repairsOf(String(hook!.id))).toEqual(['webhook']);
  });
  const PATH = () => `/api/webhooks/acuity/${clinic.tenant.id}`;

  it('that Acuity rejects does not stop the comparison, and is a finding until it is registered', async () => {
    const times = await timesOf();
    const { provider_appointment_id } = await book(times[0]!);
    await received(provider_appointment_id!);
    const others = Array.from({ length: 25 }, (_, index) => ({
      id: 900_000_000 + index,
      event: 'order.completed',
      target: 'https://elsewhere.example.test/hook',
    }));
    clinic.acuity.hooks().splice(0, clinic.acuity.hooks().length, ...(others as never[]));
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await bound();
    expect(await rowOf(provider_appointment_id!)).toMatchObject({ status: 'canceled' });
    expect(await view()).toMatchObject({
      status: 'degraded',
      findings: expect.arrayContaining([expect.objectContaining({ code: 'webhook_not_registered' })]),
    });
    clinic.acuity.hooks().splice(0);
    await received(provider_appointment_id!);
    await bound();
    expect(await view()).toMatchObject({ status: 'connected' });
    expect(clinic.acuity.hooks()).toHaveLength(1);
  });

  it('that is silent degrades the integration until one arrives', async () => {
    const times = await timesOf();
    const { provider_appointment_id } = await book(times[0]!);
    await received(provider_appointment_id!);
    const before = await integrationTopics();
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await bound(LONG ? 3 : 1.5);
    expect(await view()).toMatchObject({
      status: 'degraded',
      findings: expect.arrayContaining([expect.objectContaining({ code: 'webhooks_silent' })]),
    });
    await received(provider_appointment_id!);
    expect(await view()).toMatchObject({ status: 'connected' });
    expect((await integrationTopics()).slice(before.length)).toEqual(['degraded', 'recovered']);
  });
});

it('credentials that Acuity rejects degrade the integration until they are accepted again', async () => {
  await received(1);
  const before = await integrationTopics();
  const { tenantId, cipher, db } = clinic.ctx;
  const keep = (api_key: string) =>
    db.integration.updateMany({
      where: { provider: 'acuity' },
      data: {
        credentials: cipher.seal(
          JSON.stringify({ user_id: clinic.acuity.account.user_id, api_key }),
          acuityCredentialsOf(tenantId),
        ),
      },
    });
  await keep('revoked');
  await bound();
  expect(await view()).toMatchObject({ status: 'degraded', findings: [{ code: 'credentials_refused' }] });
  await keep(clinic.acuity.account.api_key);
  await bound();
  expect(await view()).toMatchObject({ status: 'connected' });
  expect((await integrationTopics()).slice(before.length)).toEqual(['degraded', 'recovered']);
});

it('a step does not wait for the renewal of availability', async () => {
  const { scheduling } = clinic.services.providers;
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  calls.length = 0;
  const renew = async () => {
    calls.push('renewal');
    await held;
  };
  const options = { turn: 'background', party: clinic.acuity.account.user_id } as const;
  const renewals = Array.from({ length: 60 }, () => scheduling.run(renew, options));
  await expect.poll(() => calls.length).toBe(8);
  const { run } = scheduling;
  const arrived = new Promise<void>((resolve) => {
    scheduling.run = (work, more) => {
      resolve();
      return run(work, more);
    };
  });
  await clinic.ctx.db.schedulingReconcile.updateMany({ data: { passStartedAt: null } });
  const step = reconcileAcuity(clinic.services, { tenantId: clinic.tenant.id });
  await arrived;
  scheduling.run = run;
  end();
  await Promise.all([step, ...renewals]);
  expect(calls.findIndex((call) => call !== 'renewal')).toBeLessThan(8 + 4);
});
