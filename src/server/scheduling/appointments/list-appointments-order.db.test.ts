import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListAppointmentsInput } from '#contract/scheduling.ts';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { makePatient } from '#dev/testing/scheduling.ts';
import type { testServices } from '#dev/testing/services.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { listAppointments } from './list-appointments.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2027-03-01T12:10:00Z');
let clinic: Clinic;
let services: ReturnType<typeof testServices>;
let tenant: { id: string };
const names = new Map<string, string>();

/** Name, start in hours from noon (each lasts half an hour), status, type id, calendar id. */
const APPOINTMENTS: [name: string, hours: number, status: string, type: number, calendar: number][] = [
  ['last week', -168, 'scheduled', 21, 11],
  ['no-show', -48, 'no_show', 21, 12],
  ['canceled and over', -24, 'canceled', 22, 11],
  ['this morning', -2, 'scheduled', 22, 12],
  ['now', 0, 'scheduled', 21, 11],
  ['next', 1, 'scheduled', 22, 12],
  ['canceled and upcoming', 2, 'canceled', 21, 11],
  ['later', 3, 'scheduled', 21, 12],
  ['at the same time', 3, 'scheduled', 22, 11],
  ['not settled', 4, 'pending', 21, 11],
];

beforeAll(async () => {
  clinic = await withClinic({ overrides: { clock: { now: () => new Date(NOW) } } });
  ({ services, tenant } = clinic);
  const { id: patientId } = await makePatient({ services, tenant });
  for (const [name, hours, status, appointmentTypeId, calendarId] of APPOINTMENTS) {
    const startAt = new Date(Date.parse('2027-03-01T12:00:00Z') + hours * HOUR_MS);
    const id = newId();
    names.set(id, name);
    await services.database.forTenant(tenant.id).appointment.create({
      data: {
        ...{ id, tenantId: tenant.id, patientId, appointmentTypeId, appointmentType: 'Visit', calendarId, status },
        ...{ calendar: 'Rowan Example', startAt, endAt: new Date(startAt.getTime() + HOUR_MS / 2) },
        ...{ timeZone: 'America/New_York', videoToken: newLinkToken(tenant.id) },
      },
    });
  }
});
afterAll(() => clinic?.stop());

const page = (input: object) => listAppointments(asApplication(services, tenant), ListAppointmentsInput.parse(input));
const list = async (input: object) => (await page(input)).items.map(({ id }) => names.get(id));

describe('appointments by period', () => {
  test('upcoming: scheduled and not over, soonest first, including the one in progress', async () => {
    const upcoming = ['now', 'next', 'later', 'at the same time'];
    expect(await list({ period: 'upcoming', sort_by: 'from_date' })).toEqual(upcoming);
    expect(await list({ period: 'upcoming', status: 'canceled' })).toEqual([]);
  });

  test('past: booked and over, latest first, including no-shows', async () => {
    expect(await list({ period: 'past' })).toEqual(['this morning', 'no-show', 'last week']);
    expect(await list({ period: 'past', status: 'no_show' })).toEqual(['no-show']);
  });

  test('each appointment is either upcoming or past_or_canceled', async () => {
    const rest = await list({ period: 'past_or_canceled' });
    expect(rest).toEqual(['canceled and upcoming', 'this morning', 'canceled and over', 'no-show', 'last week']);
    const all = await list({ status: 'scheduled,canceled,no_show' });
    const upcoming = await list({ period: 'upcoming' });
    expect([...upcoming, ...rest].sort()).toEqual(all.sort());
  });
});

test.each([
  [{ period: 'past_or_canceled' }],
  [{ period: 'past_or_canceled', sort_by: 'from_date' }],
  [{ period: 'past_or_canceled', sort_by: 'next' }],
  [{ status: 'canceled,no_show' }],
])('statuses that are read one by one are paged as one list: %j', async (input) => {
  const whole = (await page(input)).items.map(({ id }) => id);
  const paged: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { items, next } = await page({ ...input, size: 1, ...(after && { starting_after: after }) });
    paged.push(...items.map(({ id }) => id));
    after = next;
  }
  expect(paged).toEqual(whole);
  expect(whole.length).toBeGreaterThan(2);
  const before = await page({ ...input, size: 2, ending_before: whole.at(-1) });
  expect(before.items.map(({ id }) => id)).toEqual(whole.slice(-3, -1));
  const second = await page({ ...input, size: 2, page: 2 });
  expect(second.items.map(({ id }) => id)).toEqual(whole.slice(2, 4));
});

describe('filters', () => {
  test('accept several statuses, a type and a calendar', async () => {
    expect(await list({ status: 'canceled,no_show' })).toEqual([
      'canceled and upcoming',
      'canceled and over',
      'no-show',
    ]);
    expect(await list({ status: ['canceled', 'no_show'] })).toHaveLength(3);
    expect(await list({ appointment_type_id: 22 })).toEqual(['at the same time', 'next', 'this morning']);
    expect(await list({ calendar_id: 12, period: 'upcoming' })).toEqual(['later', 'next']);
    expect(await list({ calendar_id: 99 })).toEqual([]);
  });

  test('reject an unknown status with the list of valid ones', () => {
    for (const status of ['pending', 'canceled,', '', ['canceled', 'gone']])
      expect(() => ListAppointmentsInput.parse({ status })).toThrow(/any of scheduled, canceled, no_show/);
  });
});

describe('upcoming appointments, then past ones', () => {
  const UPCOMING = ['now', 'next', 'canceled and upcoming', 'later', 'at the same time'];
  const PAST = ['this morning', 'canceled and over', 'no-show', 'last week'];
  const everything = { status: 'scheduled,canceled,no_show', sort_by: 'next' };

  test('are returned in that order', async () => {
    expect(await list(everything)).toEqual([...UPCOMING, ...PAST]);
    expect(await list({ ...everything, status: 'canceled' })).toEqual(['canceled and upcoming', 'canceled and over']);
  });

  test.each([1, 2, 3, 5, 7])('are returned once each with pages of %i, forwards and backwards', async (size) => {
    const forward: (string | undefined)[] = [];
    let current = await page({ ...everything, size });
    for (let turn = 0; turn < 10; turn += 1) {
      forward.push(...current.items.map(({ id }) => names.get(id)));
      if (current.next === null) break;
      current = await page({ ...everything, size, starting_after: current.next });
    }
    expect(forward).toEqual([...UPCOMING, ...PAST]);
    const back: (string | undefined)[] = [];
    let cursor: string | null = current.items.at(-1)!.id;
    while (cursor !== null) {
      const before: Awaited<ReturnType<typeof page>> = await page({ ...everything, size, ending_before: cursor });
      back.unshift(...before.items.map(({ id }) => names.get(id)));
      cursor = before.prev;
    }
    expect([...back, 'last week']).toEqual([...UPCOMING, ...PAST]);
  });

  test('support page numbers across both parts', async () => {
    const third = await page({ ...everything, page: 2, size: 4 });
    expect(third.items.map(({ id }) => names.get(id))).toEqual([...UPCOMING, ...PAST].slice(4, 8));
    expect(third.totals).toEqual({ count: 9, pages: 3, page: 2 });
    expect(await list({ ...everything, page: 3, size: 3 })).toEqual([...UPCOMING, ...PAST].slice(6, 9));
  });
});

test('returns a total only on request', async () => {
  expect((await page({ period: 'upcoming', size: 1, with_total: 'true' })).total).toEqual({ count: 4, capped: false });
  expect((await page({ size: 1 })).total).toBeUndefined();
});
