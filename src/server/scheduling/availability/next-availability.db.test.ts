import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, dayAhead, errorOf, FOLLOW_UP, JUNIPER, ROWAN, SECOND_ACCOUNT } from '#dev/testing/scheduling.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { rescheduleAppointment } from '../booking/reschedule-appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { listAvailability } from './list-availability.ts';
import { nextAvailability } from './next-availability.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());

const next = (more: object = {}) => nextAvailability(clinic.app(), { appointment_type_id: FOLLOW_UP, ...more });
const list = async (from_date: string, more: object = {}) =>
  (await listAvailability(clinic.app(), { appointment_type_id: FOLLOW_UP, from_date, ...more })).items;
const account = (more: object) => clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, more);
const block = (from: string, until: string, calendarID: number) =>
  clinic.acuity.console('POST', '/blocks', {
    start: `${from}T00:00:00Z`,
    end: `${until}T00:00:00Z`,
    calendarID,
    notes: '',
  });
const unblock = (id: number) => clinic.acuity.console('DELETE', `/blocks/${id}`).catch(() => {}); // The response has no body.
const READS = { method: 'GET', path: '/api/v1/availability/*' };

describe('the next available slots', () => {
  test('are the first of the listed ones, with calendars in several zones', async () => {
    const count = 40;
    const expected = (await list(dayAhead(-1))).slice(0, count);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await next({ count })).toEqual(expected);
    expect(await next()).toEqual(expected.slice(0, 1));
  });

  test('are returned without a provider call when they are known', async () => {
    const expected = (await list(dayAhead(-1))).slice(0, 5);
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 100);
    expect(await next({ count: 5 })).toEqual(expected);
    await clinic.acuity.control('DELETE', 'faults');
  });

  test('are returned without a provider call when a search found the rest of today full', async () => {
    const { id } = await block(dayAhead(-1), dayAhead(2), JUNIPER);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    const first = await next({ calendar_id: JUNIPER, count: 3 });
    expect(first[0]!.from_date.slice(0, 10) >= dayAhead(1)).toBe(true);
    await clinic.acuity.fault('503', READS, 100);
    expect(await next({ calendar_id: JUNIPER, count: 3 })).toEqual(first);
    await clinic.acuity.control('DELETE', 'faults');
    await unblock(id);
  });

  test('report the age of the days used, not of past, later or unfetched days', async () => {
    await clinic.ctx.db.availabilityDay.deleteMany({});
    await next({ calendar_id: ROWAN });
    const row = { tenantId: clinic.tenant.id, appointmentTypeId: FOLLOW_UP, calendarId: ROWAN, staleAt: new Date(0) };
    const fetchedAt = new Date(Date.now() - 3_600_000);
    const over = [-2, -1].map((ahead) => ({ ...row, day: dayAhead(ahead), fetchedAt }));
    await clinic.ctx.db.availabilityDay.createMany({ data: over, skipDuplicates: true });
    await clinic.ctx.db.availabilityDay.updateMany({
      where: { day: dayAhead(10) },
      data: { fetchedAt: new Date(0), staleAt: new Date(0) },
    });
    let age = Number.NaN;
    const onAge = (seconds: number) => {
      age = seconds;
    };
    await nextAvailability({ ...clinic.app(), onAge }, { appointment_type_id: FOLLOW_UP, calendar_id: ROWAN });
    expect(age).toBeLessThan(3_600);
  });

  test('cost one call per month and time zone when there are none, also for concurrent requests', async () => {
    const blocks = await Promise.all([ROWAN, ALDER, JUNIPER].map((one) => block(dayAhead(-1), dayAhead(70), one)));
    await clinic.ctx.db.availabilityDay.deleteMany({});
    // Exactly this many calls succeed.
    await clinic.acuity.control('POST', 'faults', { kind: 'slow_drip', match: READS, times: 2 * 26, holdMs: 1 });
    await clinic.acuity.fault('503', READS, 100);
    expect(await Promise.all([next(), next()])).toEqual([[], []]);
    await clinic.acuity.control('DELETE', 'faults');
    await clinic.acuity.fault('503', READS, 100);
    expect(await next()).toEqual([]);
    await clinic.acuity.control('DELETE', 'faults');
    for (const { id } of blocks) await unblock(id);
    await clinic.ctx.db.availabilityDay.deleteMany({});
  });

  test('continue from where an earlier search failed', async () => {
    const { id } = await block(dayAhead(-1), dayAhead(70), ROWAN);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    await clinic.acuity.control('POST', 'faults', { kind: 'slow_drip', match: READS, times: 13, holdMs: 1 });
    await clinic.acuity.fault('503', READS, 100);
    expect((await errorOf(next({ calendar_id: ROWAN }))).code).toBe('provider_unavailable');
    await clinic.acuity.control('DELETE', 'faults');
    await clinic.acuity.control('POST', 'faults', { kind: 'slow_drip', match: READS, times: 20, holdMs: 1 });
    await clinic.acuity.fault('503', READS, 100);
    expect(await next({ calendar_id: ROWAN })).toEqual([]);
    await clinic.acuity.control('DELETE', 'faults');
    await unblock(id);
    await clinic.ctx.db.availabilityDay.deleteMany({});
  });

  test("are found up to the provider's booking limit", async () => {
    await block(dayAhead(-1), dayAhead(50), ALDER);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    const [first] = await next({ calendar_id: ALDER });
    expect(first!.calendar_id).toBe(ALDER);
    expect(first!.from_date.slice(0, 10) >= dayAhead(49)).toBe(true);
    expect(first).toEqual((await list(first!.from_date.slice(0, 10), { calendar_id: ALDER }))[0]);
    await block(dayAhead(40), dayAhead(90), ALDER);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await next({ calendar_id: ALDER })).toEqual([]);
  });

  test('reject unknown ids and a missing scope, and report provider errors', async () => {
    expect((await errorOf(next({ calendar_id: 999 }))).code).toBe('invalid_parameter');
    const none = asApplication(clinic.services, clinic.tenant, ['patients:read']);
    expect((await errorOf(nextAvailability(none, { appointment_type_id: FOLLOW_UP }))).code).toBe('forbidden');
    await clinic.ctx.db.availabilityDay.deleteMany({});
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 1);
    expect((await errorOf(next())).code).toBe('provider_unavailable');
    await clinic.acuity.control('DELETE', 'faults');
  });
});

test('with many calendars, fetches only as many days as fit the waiting time', async () => {
  const calendars = Array.from({ length: 24 }, (_, index) => ({ id: 700 + index, name: `Room ${index}` }));
  await clinic.acuity.control('PUT', `accounts/${SECOND_ACCOUNT.user_id}`, {
    apiKey: SECOND_ACCOUNT.api_key,
    timezone: 'America/New_York',
    calendars,
    types: [{ id: 92, name: 'Many', duration: 20 }],
  });
  const admin = asAdmin(clinic.services, clinic.tenant);
  await connectAcuity(admin, SECOND_ACCOUNT);
  // A slow machine may exceed the waiting time; the search continues and fetches the same days.
  await next({ appointment_type_id: 92 }).catch(() => []);
  const where = { appointmentTypeId: 92, startsAt: { isEmpty: false } };
  const { availabilityDay } = clinic.ctx.db;
  await expect.poll(() => availabilityDay.count({ where }), { timeout: 20_000 }).toBe(calendars.length);
  const stored = await availabilityDay.findMany({ where });
  await connectAcuity(admin, clinic.acuity.account);
  expect(new Set(stored.map(({ day }) => day)).size).toBe(1);
}, 30_000);

test('an empty search costs no more statements on many calendars than on one', async () => {
  const { db } = clinic.ctx;
  const calendars = Array.from({ length: 8 }, (_, index) => ({ id: 700 + index, name: `Room ${index}` }));
  const closed = Object.fromEntries(calendars.map(({ id }) => [id, {}]));
  await clinic.acuity.control('PUT', `accounts/${SECOND_ACCOUNT.user_id}`, {
    ...{ apiKey: SECOND_ACCOUNT.api_key, timezone: 'America/New_York', hours: closed, calendars },
    types: [
      { id: 93, name: 'On one', duration: 20, calendarIDs: [700] },
      { id: 94, name: 'On all', duration: 20 },
    ],
  });
  const admin = asAdmin(clinic.services, clinic.tenant);
  await connectAcuity(admin, SECOND_ACCOUNT);
  async function statementsOf(appointment_type_id: number) {
    let count = 0;
    const counting = new Proxy(db, {
      get(target, name) {
        if (name === '$queryRaw' || name === '$executeRaw') count += 1;
        return Reflect.get(target, name);
      },
    });
    expect(await nextAvailability({ ...clinic.app(), db: counting }, { appointment_type_id })).toEqual([]);
    return count;
  }
  await getCatalogue(clinic.ctx);
  const onOne = await statementsOf(93);
  expect(await statementsOf(94)).toBe(onOne);
  await connectAcuity(admin, clinic.acuity.account);
});

describe('a slot that was taken at the provider', () => {
  const takeOutside = (datetime: string) =>
    clinic.acuity.console('POST', '/appointments', {
      datetime,
      appointmentTypeID: FOLLOW_UP,
      calendarID: ROWAN,
      firstName: 'Con',
      lastName: 'Sole',
      email: 'console@example.test',
    });
  const expireMirror = () => clinic.ctx.db.availabilityDay.updateMany({ data: { fetchedAt: new Date(0) } });
  const slotTaken = (start: string) => ({
    code: 'slot_taken',
    meta: { alternatives: [{ from_date: start }, { calendar_id: ROWAN }, { calendar_id: ROWAN }] },
  });

  test.each(['before our list was renewed', 'after it was'])(
    'returns slot_taken with three alternatives, %s',
    async (when) => {
      const [first, second] = await clinic.free(clinic.nextDay(), ROWAN);
      await takeOutside(first!.from_date);
      if (when === 'after it was') {
        await expireMirror();
        await clinic.free(first!.from_date.slice(0, 10), ROWAN);
      }
      const rejection = errorOf(bookAppointment(clinic.app(), clinic.wish(first!.from_date, { calendar_id: ROWAN })));
      expect(await rejection).toMatchObject(slotTaken(second!.from_date));
    },
  );

  test('returns slot_taken for a reschedule too, but not for a time that was never offered', async () => {
    const [first, second, third] = await clinic.free(clinic.nextDay(), ROWAN);
    const appointment = await bookAppointment(clinic.app(), clinic.wish(third!.from_date, { calendar_id: ROWAN }));
    await takeOutside(first!.from_date);
    await expireMirror();
    await clinic.free(first!.from_date.slice(0, 10), ROWAN);
    const moved = errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: first!.from_date }));
    expect(await moved).toMatchObject(slotTaken(second!.from_date));
    const never = first!.from_date.replace('09:00', '09:10');
    const rejection = errorOf(bookAppointment(clinic.app(), clinic.wish(never, { calendar_id: ROWAN })));
    expect((await rejection).code).toBe('slot_not_offered');
  });

  test('returns slot_not_offered when the minimum notice now excludes it', async () => {
    const [first] = await clinic.free(dayAhead(1), ROWAN);
    await account({ limits: { interval: 30, minHoursInAdvance: 72, maxDaysInAdvance: 60 } });
    await expireMirror();
    const rejection = errorOf(bookAppointment(clinic.app(), clinic.wish(first!.from_date, { calendar_id: ROWAN })));
    expect((await rejection).code).toBe('slot_not_offered');
  });
});
