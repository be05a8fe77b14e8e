import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPatient } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import {
  ALDER,
  dayAhead,
  errorOf,
  FOLLOW_UP,
  JUNIPER,
  LONG_APPOINTMENT,
  makePatient,
  ROWAN,
} from '#dev/testing/scheduling.ts';
import { newId } from '#server/core/ids.ts';
import { startOfDay } from '#server/core/zone.ts';
import { checkAcuity, runAcuityCheck } from '#server/integrations/check-integration.ts';
import { invalidateCatalogue } from '#server/integrations/scheduling-account.ts';
import { knownDays } from '#server/mirror/known-days.ts';
import { invalidateDays } from '#server/mirror/mirrored-days.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { listAppointmentTypes } from '../catalogue/list-appointment-types.ts';
import { listCalendars } from '../catalogue/list-calendars.ts';
import { listAvailability } from './list-availability.ts';

let clinic: Clinic<'acuity'>;
beforeAll(async () => {
  clinic = await withClinic({ acuity: true, env: { ACUITY_RENEW_SECONDS: '120' } });
  await clinic.ctx.db.staffUser.create({
    data: {
      id: newId(),
      tenantId: clinic.tenant.id,
      email: 'alder@clinic.example.test',
      name: 'Alder Example',
      role: 'practitioner',
      passwordHash: 'none',
    },
  });
});
afterAll(() => clinic.stop());

const app = (seconds = 0) => ({
  ...asApplication(clinic.services, clinic.tenant),
  clock: { now: () => new Date(Date.now() + seconds * 1000) },
});
const list = async (more: object, seconds = 0) =>
  (await listAvailability(app(seconds), { appointment_type_id: FOLLOW_UP, from_date: dayAhead(3), ...more })).items;

describe('the catalogue', () => {
  test('leaves out types that patients cannot book', async () => {
    const { items } = await listAppointmentTypes(app(), {});
    expect(items).toEqual([
      {
        id: FOLLOW_UP,
        appointment_type_id: FOLLOW_UP,
        name: 'Follow-up visit',
        description: null,
        duration_minutes: 30,
        calendar_ids: [ROWAN, ALDER, JUNIPER],
      },
      expect.objectContaining({ id: LONG_APPOINTMENT, calendar_ids: [ROWAN] }),
    ]);
  });

  test('offers nothing on a calendar with an unknown time zone and reports a finding', async () => {
    const alder = clinic.acuity.calendars().find(({ id }) => id === ALDER)!;
    const { timezone } = alder;
    alder.timezone = 'Mars/Base';
    await invalidateCatalogue(clinic.ctx);
    try {
      const items = await list({ to_date: dayAhead(3) });
      expect([...new Set(items.map(({ calendar_id }) => calendar_id))]).toEqual([ROWAN, JUNIPER]);
      await runAcuityCheck(clinic.services, { tenantId: clinic.tenant.id });
      const { findings } = await clinic.ctx.db.integration.findFirstOrThrow({ where: { provider: 'acuity' } });
      const object = { type: 'Calendar', id: String(ALDER), name: 'Alder Example' };
      expect(findings).toContainEqual(expect.objectContaining({ code: 'calendar_without_time_zone', object }));
    } finally {
      alder.timezone = timezone;
      await invalidateCatalogue(clinic.ctx);
    }
  });

  test("matches a practitioner by the calendar's address", async () => {
    const { items } = await listCalendars(app(), {});
    const practitioner = await clinic.ctx.db.staffUser.findFirstOrThrow({});
    expect(items.map(({ id, practitioner_id }) => [id, practitioner_id])).toEqual([
      [ROWAN, null],
      [ALDER, practitioner.id],
      [JUNIPER, null],
    ]);
    expect(items[1]).toMatchObject({ time_zone: 'America/Chicago', appointment_type_ids: [FOLLOW_UP] });
    const long = await listCalendars(app(), { appointment_type_id: LONG_APPOINTMENT });
    expect(long.items.map(({ id }) => id)).toEqual([ROWAN]);
  });

  test('supports pagination', async () => {
    const first = await listCalendars(app(), { size: 2 });
    const rest = await listCalendars(app(), { size: 2, starting_after: first.next! });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual([ROWAN, ALDER, JUNIPER]);
  });

  test('finds at once what was just created at Acuity', async () => {
    await listAppointmentTypes(app(), {});
    await clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
      types: [
        { id: FOLLOW_UP, name: 'Follow-up visit', duration: 30 },
        { id: LONG_APPOINTMENT, name: 'Long visit', duration: 60, paddingAfter: 15, calendarIDs: [ROWAN] },
        { id: 23, name: 'New visit', duration: 20 },
      ],
    });
    expect((await listCalendars(app(3), { appointment_type_id: 23 })).items).toHaveLength(3);
  });
});

describe('the stored catalogue', () => {
  const DAY_SECONDS = 86_400;

  test('is used for a week while Acuity fails, also after a check', async () => {
    await listCalendars(app(), {});
    await clinic.acuity.control('POST', 'faults', { kind: '503', match: { path: '/api/v1/*' }, times: 1000 });
    await checkAcuity(asAdmin(clinic.services, clinic.tenant));
    expect((await listCalendars(app(6 * DAY_SECONDS), {})).items).toHaveLength(3);
    expect(await errorOf(listCalendars(app(8 * DAY_SECONDS), {}))).toMatchObject({ code: 'provider_unavailable' });
    await clinic.acuity.control('DELETE', 'faults');
    await checkAcuity(asAdmin(clinic.services, clinic.tenant));
  });

  test('is enough to list availability while Acuity does not respond', async () => {
    const day = dayAhead(28);
    const before = await list({ from_date: day, to_date: day });
    const match = { method: 'GET', path: '/api/v1/appointment-types' };
    await clinic.acuity.control('POST', 'faults', { kind: 'timeout_before', match, times: 1000 });
    expect(await list({ from_date: day, to_date: day }, 600)).toEqual(before);
    await clinic.acuity.control('DELETE', 'faults');
    // Drops the pending load, whose call hangs.
    clinic.services.catalogues.clear();
  });
});

describe('availability', () => {
  test("lists a week of slots, ascending by start and calendar, in each calendar's zone", async () => {
    const slots = await list({});
    const key = (slot: (typeof slots)[number]) => [Date.parse(slot.from_date), slot.calendar_id] as const;
    const sorted = [...slots].sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]);
    expect(slots).toEqual(sorted);
    expect(new Set(slots.map(({ calendar_id }) => calendar_id))).toEqual(new Set([ROWAN, ALDER, JUNIPER]));
    const days = new Set(slots.map(({ from_date }) => from_date.slice(0, 10)));
    expect([...days].sort()).toEqual([3, 4, 5, 6, 7, 8, 9].map(dayAhead));
    for (const slot of slots) {
      expect(slot.from_date.slice(11, 16) >= '09:00' && slot.to_date.slice(11, 16) <= '17:00').toBe(true);
      expect(slot.time_zone).toBe(slot.calendar_id === ALDER ? 'America/Chicago' : 'America/New_York');
      expect(Date.parse(slot.to_date) - Date.parse(slot.from_date)).toBe(30 * 60_000);
    }
  });

  test('filters by instants and calendar', async () => {
    const [first, second, third] = await list({ calendar_id: ROWAN, to_date: dayAhead(3) });
    const between = await list({ calendar_id: ROWAN, from_date: second!.from_date, to_date: third!.from_date });
    expect(between).toEqual([second, third]);
    expect(between).not.toContainEqual(first);
  });

  test('lists nothing in the past, far ahead, or on a day without hours', async () => {
    expect(await list({ from_date: '2020-01-01' })).toEqual([]);
    expect(await list({ from_date: '9999-12-31' })).toEqual([]);
    expect(await list({ from_date: dayAhead(120) })).toEqual([]);
  });

  test('rejects a range that is too long or reversed, unknown ids and a missing scope', async () => {
    expect(await errorOf(list({ to_date: dayAhead(10) }))).toMatchObject({
      code: 'range_too_long',
      source: { parameter: 'to_date' },
    });
    expect((await errorOf(list({ to_date: dayAhead(2) }))).code).toBe('invalid_parameter');
    expect((await errorOf(list({ appointment_type_id: 999 }))).code).toBe('invalid_parameter');
    expect((await errorOf(list({ calendar_id: 999 }))).code).toBe('invalid_parameter');
    const none = asApplication(clinic.services, clinic.tenant, ['patients:read']);
    const forbidden = listAvailability(none, { appointment_type_id: FOLLOW_UP, from_date: dayAhead(3) });
    expect((await errorOf(forbidden)).code).toBe('forbidden');
    const patient = asPatient(clinic.services, clinic.tenant, (await makePatient(clinic)).id);
    const { items } = await listAvailability(patient, { appointment_type_id: FOLLOW_UP, from_date: dayAhead(3) });
    expect(items).not.toEqual([]);
  });

  test('calls Acuity once for concurrent requests, and not again while the result is fresh', async () => {
    const day = dayAhead(20);
    const listDay = () => list({ from_date: day, to_date: day, calendar_id: ROWAN });
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 1);
    await errorOf(listDay());
    const all = await Promise.all(Array.from({ length: 20 }, listDay));
    expect(new Set(all.map((slots) => JSON.stringify(slots))).size).toBe(1);
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 100);
    expect(await listDay()).toEqual(all[0]);
    // An older list is returned while a newer one is fetched in the background; one that is too old is not returned.
    expect(await list({ from_date: day, to_date: day, calendar_id: ROWAN }, 60)).toEqual(all[0]);
    const tooOld = await errorOf(list({ from_date: day, to_date: day, calendar_id: ROWAN }, 180));
    expect(tooOld.code).toBe('provider_unavailable');
    await clinic.acuity.control('DELETE', 'faults');
  });

  const READS = { method: 'GET', path: '/api/v1/availability/*' };

  test('returns the known days and a message why others are missing while Acuity fails', async () => {
    const [known, unknown] = [dayAhead(23), dayAhead(24)];
    const query = { appointment_type_id: FOLLOW_UP, calendar_id: ROWAN, from_date: known, partial: true };
    const before = await listAvailability(app(), { ...query, to_date: known });
    expect(before).toMatchObject({ missing: [], trouble: null });
    await clinic.acuity.fault('503', READS, 100);
    expect(await listAvailability(app(), { ...query, to_date: unknown })).toMatchObject({
      items: before.items,
      missing: [{ calendar_id: ROWAN, day: unknown }],
      trouble: 'Acuity cannot be reached at the moment. Try again in a minute.',
    });
    await clinic.acuity.control('DELETE', 'faults');
    expect(await listAvailability(app(), { ...query, to_date: unknown })).toMatchObject({ missing: [], trouble: null });
  });

  test('returns the message also when Acuity fails after the reader has timed out', async () => {
    await clinic.acuity.control('POST', 'faults', { kind: 'timeout_before', match: READS, times: 100, holdMs: 300 });
    const wanted = [{ calendar: { id: ROWAN, timeZone: 'America/New_York' }, days: [dayAhead(25)] }];
    const read = (maxWaitMs: number) => knownDays(app(), FOLLOW_UP, wanted, { partial: true, maxWaitMs });
    const { pendingCalls } = clinic.services.mirror;
    await expect.poll(() => read(50).then(() => pendingCalls.size)).toBe(1);
    // Without time to wait, Acuity is not called.
    await expect.poll(async () => (await read(0)).trouble?.code, { timeout: 10_000 }).toBe('provider_unavailable');
    await clinic.acuity.control('DELETE', 'faults');
  });

  test('does not report the error of a removed type for missing days of another type', async () => {
    const wanted = [{ calendar: { id: ROWAN, timeZone: 'America/New_York' }, days: [dayAhead(29)] }];
    const read = (typeId: number, maxWaitMs: number) => knownDays(app(), typeId, wanted, { partial: true, maxWaitMs });
    clinic.services.mirror.failures.clear();
    expect((await read(999, 5_000)).removedError).toBeDefined();
    expect(await read(FOLLOW_UP, 0)).toMatchObject({ missing: [{ calendarId: ROWAN }], trouble: null });
  });

  test('reports the age of the requested days only, also with calendars in several zones', async () => {
    const [before, first] = [dayAhead(26), dayAhead(27)];
    await list({ from_date: before, to_date: first });
    const data = { fetchedAt: new Date(Date.now() - 60_000) };
    await clinic.ctx.db.availabilityDay.updateMany({ where: { day: before, calendarId: ROWAN }, data });
    // The first minute of a day in New York, an hour before midnight in Chicago.
    const from_date = new Date(startOfDay(first, 'America/New_York') * 60_000).toISOString();
    const query = { appointment_type_id: FOLLOW_UP, from_date, to_date: from_date };
    const { availability_as_of } = await listAvailability(app(), query);
    expect(Date.parse(availability_as_of!)).toBeGreaterThan(data.fetchedAt.getTime());
  });

  test('is fetched again when it is invalidated during the call, while the reader waits', async () => {
    const day = dayAhead(22);
    const [first] = await list({ from_date: day, to_date: day, calendar_id: ROWAN });
    const breakProvider = () => {
      const at = Date.parse(first!.from_date) / 60_000;
      return invalidateDays(clinic.ctx, [{ calendarId: ROWAN, at, timeZone: 'America/New_York' }]);
    };
    await breakProvider();
    const match = { method: 'GET', path: '/api/v1/availability/times' };
    await clinic.acuity.control('POST', 'faults', { kind: 'slow_drip', match, times: 6, holdMs: 300 });
    let isThere = false;
    const listing = list({ from_date: day, to_date: day, calendar_id: ROWAN }).finally(() => {
      isThere = true;
    });
    for (let change = 0; change < 8 && !isThere; change += 1) {
      await new Promise((resolve) => setTimeout(resolve, 170));
      await breakProvider();
    }
    expect((await listing)[0]).toEqual(first);
    await clinic.acuity.control('DELETE', 'faults');
  });

  test('reflects changes at Acuity once the stored list has expired', async () => {
    const day = dayAhead(21);
    const listDay = (seconds: number) => list({ from_date: day, to_date: day, calendar_id: ROWAN }, seconds);
    const [first] = await listDay(0);
    await clinic.acuity.console('POST', '/blocks', {
      start: first!.from_date,
      end: first!.to_date,
      calendarID: ROWAN,
      notes: '',
    });
    expect((await listDay(180))[0]).not.toEqual(first);
  });
});

test('settings read earlier that arrive later do not replace newer ones', async () => {
  const realFetch = globalThis.fetch;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  globalThis.fetch = async (input, init) => {
    const response = await realFetch(input, init);
    if (!isHeld && String(input).endsWith('/calendars')) {
      isHeld = true;
      await held;
    }
    return response;
  };
  const names = async (loading: ReturnType<typeof getCatalogue>) => (await loading).calendars.map(({ name }) => name);
  await invalidateCatalogue(clinic.ctx);
  const early = getCatalogue(clinic.ctx);
  await expect.poll(() => isHeld).toBe(true);
  clinic.acuity.calendars()[0]!.name = 'Renamed Example';
  expect(await names(getCatalogue(clinic.ctx, undefined, 'urgent'))).toContain('Renamed Example');
  release();
  expect(await names(early)).toContain('Renamed Example');
  globalThis.fetch = realFetch;
  expect(await names(getCatalogue(clinic.ctx))).toContain('Renamed Example');
  clinic.services.catalogues.clear();
  expect(await names(getCatalogue(clinic.ctx))).toContain('Renamed Example');
});
