import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asApplication, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { fixedClock } from '#dev/testing/fixed-clock.ts';
import { dayAhead, FOLLOW_UP, ROWAN } from '#dev/testing/scheduling.ts';
import { testServices } from '#dev/testing/services.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { listAvailability } from './list-availability.ts';
import { createAvailabilityRenewal } from './renew-availability.ts';

/** Maximum age at which a change at Acuity must be visible. */
const BOUND_S = 5;
/** Bound for many tenants at one address: the large one's days alone take six seconds. */
const LONG_BOUND_S = 10;
const INTERVAL_MS = 200;
/** The default run is short; `npm run prove` checks the durations. */
const LONG = Boolean(process.env.PROVE);
const [SMALL, CALENDARS] = LONG ? [99, 60] : [4, 20];
/** Types, calendars, forms and a day; a fifth of the calls is reserved for bookings. */
const CALLS_OF_A_FIRST = 4;
const READS_PER_SECOND = 80;

let clinic: Clinic<'acuity'>;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  clinic = await withClinic({
    acuity: true,
    env: { ACUITY_RENEW_SECONDS: String(BOUND_S), ACUITY_REQUESTS_PER_SECOND: '100' },
  });
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await clinic.stop();
});

/** Runs the worker's renewal loop on the given services. */
function renewOn(services: Services) {
  const renewing = createAvailabilityRenewal(services);
  const held: boolean[] = [];
  let running = true;
  const loop = (async () => {
    while (running) {
      held.push(await renewing.renewDue());
      await pause(INTERVAL_MS);
    }
  })();
  const stop = async () => {
    running = false;
    await loop;
    await renewing.stop();
  };
  stops.push(stop);
  return { held, stop };
}
const list = (ctx: { services: Services; tenant: { id: string } }, more: object = {}) =>
  listAvailability(asApplication(ctx.services, ctx.tenant), {
    appointment_type_id: FOLLOW_UP,
    from_date: dayAhead(3),
    to_date: dayAhead(3),
    ...more,
  });
/** Repeats the request after `Retry-After`, as a client does. */
const listUntilLoaded = (one: Parameters<typeof list>[0]): ReturnType<typeof list> =>
  list(one).catch(async (error) => {
    if (!(error instanceof CarelaneError) || error.code !== 'provider_unavailable') throw error;
    await pause(Number(error.headers['retry-after']) * 1000);
    return listUntilLoaded(one);
  });
/** Ages of the requested days, in seconds. */
const agesOf = async (services: Services, tenantId: string) => {
  const rows = await services.database
    .forTenant(tenantId)
    .availabilityDay.findMany({ where: { askedAt: { not: null } } });
  return rows.map(({ fetchedAt }) => (Date.now() - fetchedAt.getTime()) / 1000);
};
const noCalls = () => clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 1000);

describe('availability that was requested', () => {
  test('is renewed in the background before it expires: a block is visible within the bound', async () => {
    const first = await list(clinic, { calendar_id: ROWAN });
    renewOn(clinic.services);
    const blocked = first.items[0]!;
    await clinic.acuity.console('POST', '/blocks', {
      start: blocked.from_date,
      end: blocked.to_date,
      calendarID: ROWAN,
      notes: '',
    });
    await pause(BOUND_S * 1000);
    // From here on only stored days can be returned.
    await noCalls();
    const now = await list(clinic, { calendar_id: ROWAN });
    expect(now.items).toHaveLength(first.items.length - 1);
    expect(now.items).not.toContainEqual(blocked);
    expect(Date.parse(now.availability_as_of!)).toBeGreaterThan(Date.now() - BOUND_S * 1000);
  });

  test('is renewed at once when a change has invalidated it', async () => {
    await list(clinic, { calendar_id: ROWAN });
    renewOn(clinic.services);
    await clinic.ctx.db.availabilityDay.updateMany({ data: { staleAt: new Date() } });
    const isRenewed = async () => {
      const { fetchedAt, staleAt } = await clinic.ctx.db.availabilityDay.findFirstOrThrow({});
      return fetchedAt > staleAt;
    };
    await expect.poll(isRenewed).toBe(true);
    await noCalls();
    expect((await list(clinic, { calendar_id: ROWAN })).items.length).toBeGreaterThan(0);
  });

  test('is renewed although other calendars fail', async () => {
    const ids = [100, 101, 102, 103, 104, 105];
    await clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
      calendars: ids.map((id) => ({ id, name: `Calendar ${id}`, email: '' })),
      types: [{ id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 }],
    });
    const failing = ids.slice(0, 4);
    await list(clinic);
    await Promise.all(clinic.services.mirror.backgroundWork);
    await clinic.ctx.db.availabilityDay.updateMany({ data: { staleAt: new Date() } });
    // The failing calendars are due first and fill all parallel calls.
    const before = { calendarId: { in: failing } };
    await clinic.ctx.db.availabilityDay.updateMany({
      where: before,
      data: { fetchedAt: new Date(Date.now() - 60_000) },
    });
    for (const id of failing)
      await clinic.acuity.control('POST', 'faults', {
        kind: '500',
        match: { query: { calendarID: String(id) } },
        times: 1000,
      });
    renewOn(clinic.services);
    const renewed = async () => {
      const rows = await clinic.ctx.db.availabilityDay.findMany({ orderBy: { calendarId: 'asc' } });
      return rows.filter(({ fetchedAt, staleAt }) => fetchedAt > staleAt).map(({ calendarId }) => calendarId);
    };
    await expect.poll(renewed, { timeout: 5000 }).toEqual(ids.slice(4));
  });

  test('is paused while calls hang, because they take connections from other tenants', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => 100 + index);
    await clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
      calendars: ids.map((id) => ({ id, name: `Calendar ${id}`, email: '' })),
      types: [{ id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 }],
    });
    await list(clinic);
    const { pendingCalls, backgroundWork } = clinic.services.mirror;
    await Promise.all(backgroundWork);
    await clinic.ctx.db.availabilityDay.updateMany({ data: { staleAt: new Date() } });
    const realFetch = globalThis.fetch;
    let calls = 0;
    globalThis.fetch = async (input, init) => {
      if (!String(input).includes('/availability/')) return realFetch(input, init);
      calls += 1;
      return new Response(null, { status: 504 });
    };
    const renewing = createAvailabilityRenewal(clinic.services);
    stops.push(() => renewing.stop());
    await renewing.renewDue();
    await expect.poll(() => calls > 0 && pendingCalls.size === 0).toBe(true);
    await renewing.renewDue();
    globalThis.fetch = realFetch;
    expect(calls).toBeLessThanOrEqual(4);
  });

  test('is renewed by one process at a time; another takes over when it stops', async () => {
    const second = testServices(clinic.database, clinic.settings);
    stops.push(() => second.close());
    await list(clinic);
    const one = renewOn(clinic.services);
    await expect.poll(() => one.held.at(-1)).toBe(true);
    const two = renewOn(second);
    await pause(1000);
    expect(one.held.every(Boolean)).toBe(true);
    expect(two.held.some(Boolean)).toBe(false);
    await one.stop();
    await expect.poll(() => two.held.at(-1), { timeout: 10_000 }).toBe(true);
  }, 20_000);

  test('is no longer renewed when requests stop', async () => {
    await list(clinic);
    await expect.poll(() => clinic.services.database.tenantsOf('times')).toEqual([clinic.tenant.id]);
    const long = new Date(Date.now() - 3_600_000);
    await clinic.ctx.db.availabilityDay.updateMany({ data: { askedAt: long, fetchedAt: long } });
    const renewing = createAvailabilityRenewal(clinic.services);
    await renewing.renewDue();
    await renewing.stop();
    expect(await clinic.services.database.tenantsOf('times')).toEqual([]);
    expect((await clinic.ctx.db.availabilityDay.findFirstOrThrow({})).fetchedAt).toEqual(long);
  });

  test('reads write nothing until the last request time is old', async () => {
    const reader = { ...clinic, services: { ...clinic.services, clock: fixedClock() } };
    await list(reader);
    await expect.poll(async () => (await clinic.ctx.db.availabilityDay.findFirstOrThrow({})).askedAt).not.toBeNull();
    await Promise.all(clinic.services.mirror.backgroundWork);
    const before = await clinic.ctx.db.availabilityDay.findMany({});
    for (let n = 0; n < 20; n += 1) await list(reader);
    await Promise.all(clinic.services.mirror.backgroundWork);
    expect(await clinic.ctx.db.availabilityDay.findMany({})).toEqual(before);
  });
});

test(`a tenant with many calendars and ${SMALL} small tenants at one address: all are served`, async () => {
  await clinic.stop();
  clinic = await withClinic({
    acuity: true,
    env: { ACUITY_RENEW_SECONDS: String(LONG_BOUND_S), ACUITY_REQUESTS_PER_SECOND: '100' },
  });
  const { services } = clinic;
  const calendars = Array.from({ length: CALENDARS }, (_, n) => ({ id: 100 + n, name: `Calendar ${n}`, email: '' }));
  await clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
    calendars,
    types: [{ id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 }],
  });
  const small: { services: Services; tenant: { id: string } }[] = [];
  for (let n = 0; n < SMALL; n += 1) {
    const tenant = await makeTenant(services);
    const account = { user_id: String(910_000 + n), api_key: 'emulated-key' };
    await clinic.acuity.control('PUT', `accounts/${account.user_id}`, {
      apiKey: account.api_key,
      timezone: 'America/New_York',
      calendars: [{ id: 11, name: 'Only Example', email: '' }],
      types: [{ id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 }],
    });
    await connectAcuity(systemContext(services, tenant.id, 'test'), account);
    small.push({ services, tenant });
  }
  const large = list(clinic, { to_date: dayAhead(9), partial: true });
  const waits: number[] = [];
  const since = performance.now();
  await Promise.all(
    small.map(async (one) => {
      expect((await listUntilLoaded(one)).items.length).toBeGreaterThan(0);
      waits.push((performance.now() - since) / 1000);
    }),
  );
  await large;
  // No small tenant waited for the large one's week. In the short run all respond within five seconds; in the long run
  // the bound is the duration of their own calls, since a hundred start at the same time.
  if (!LONG) return;
  expect(Math.max(...waits)).toBeLessThan(Math.max(6, (CALLS_OF_A_FIRST * SMALL) / READS_PER_SECOND + 2));
  renewOn(services);
  const ages: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    await pause(500);
    // By then the first requested days are as old as the test.
    if (n >= 24) ages.push(...(await Promise.all(small.map(({ tenant }) => agesOf(services, tenant.id)))).flat());
  }
  ages.sort((a, b) => a - b);
  expect(ages.length).toBeGreaterThanOrEqual(SMALL * 8);
  expect(ages[Math.floor(ages.length * 0.95)]!).toBeLessThan(LONG_BOUND_S);
}, 120_000);
