import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListPatientsInput } from '#contract/list-patients.ts';
import { asApplication, asPatient, makeTenant } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context, Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createPatient } from './create-patient.ts';
import { listPatients } from './list-patients.ts';
import { updatePatient } from './update-patient.ts';

let clinic: Clinic;
let services: Services;
let app: Context;
let now = Date.parse('2026-11-21T12:00:00Z');
const ids = new Map<string, string>();

/** From oldest to newest; `Old` is archived. */
const PEOPLE = [
  { first_name: 'Ann', last_name: 'Example', email: 'ann@example.test', birth_date: '1990-11-21', tag_list: ['vip'] },
  { first_name: 'Bob', last_name: '100%_sure', external_id: 'a\\b', phone_number: '+12025550123' },
  { first_name: 'José', last_name: 'Example', birth_date: '2004-02-29', tag_list: ['vip', 'new'] },
  { first_name: 'Old', last_name: 'Example', tag_list: ['vip'] },
  { first_name: 'Dee', last_name: 'Sample', birth_date: '1990-11-22', tag_list: ['new'], external_id: '10-12-1998' },
];

beforeAll(async () => {
  clinic = await withClinic({ overrides: { clock: { now: () => new Date(now) } } });
  ({ services } = clinic);
  app = asApplication(services, await makeTenant(services, { timeZone: 'UTC' }));
  for (const person of PEOPLE) {
    now += 1000;
    ids.set(person.first_name, (await createPatient(app, person)).id);
  }
  now += 1000;
  await archivePatient(app, { id: ids.get('Old')! });
  now += 1000;
  await updatePatient(app, { id: ids.get('Ann')!, middle_name: 'Q' });
  await createPatient(asApplication(services, await makeTenant(services)), { first_name: 'Foreign' });
});
afterAll(() => clinic?.stop());

const list = (input: object) => listPatients(app, ListPatientsInput.parse(input));
const names = async (input: object) => (await list(input)).items.map((patient) => patient.first_name);
const filter = (field: string, operator: string, value: unknown) => JSON.stringify({ field, operator, value });

test("lists the newest first, without archived patients and other tenants' patients", async () => {
  expect(await names({})).toEqual(['Dee', 'José', 'Bob', 'Ann']);
});

test('returns forbidden for a patient and for an application without the scope', async () => {
  await expect(listPatients(asPatient(services, { id: app.tenantId }, newId()), {})).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(
    listPatients(asApplication(services, { id: app.tenantId }, ['patients:write']), {}),
  ).rejects.toMatchObject({ code: 'forbidden' });
});

describe('pagination', () => {
  test.each([
    undefined,
    'created_at',
    '-created_at',
    'updated_at',
    '-updated_at',
    'updated_at,-created_at',
    '-updated_at,created_at',
    'name',
    '-name',
    'name,-created_at',
  ])('sorted by %s, cursors reach the end and return over the same rows', async (sort_by) => {
    const allIds = (await list({ sort_by })).items.map((patient) => patient.id);
    const forward: string[] = [];
    let page = await list({ sort_by, size: 1 });
    expect(page.prev).toBeNull();
    for (let turn = 0; turn < 10; turn += 1) {
      forward.push(...page.items.map((patient) => patient.id));
      if (page.next === null) break;
      page = await list({ sort_by, size: 1, starting_after: page.next });
    }
    expect(forward).toEqual(allIds);
    const back = await list({ sort_by, size: 2, ending_before: allIds[3] });
    expect(back.items.map((patient) => patient.id)).toEqual(allIds.slice(1, 3));
    expect(back).toMatchObject({ next: allIds[2], prev: allIds[1] });
  });

  test('rows created at the same instant are ordered by id', async () => {
    const tenant = asApplication(services, await makeTenant(services));
    const patients = await Promise.all(Array.from({ length: 7 }, () => createPatient(tenant, {})));
    const seen: string[] = [];
    let after: string | undefined;
    for (let turn = 0; turn < 4; turn += 1) {
      const page = await listPatients(tenant, { size: 2, starting_after: after });
      seen.push(...page.items.map((patient) => patient.id));
      after = page.next ?? undefined;
    }
    expect(seen).toEqual(
      patients
        .map((patient) => patient.id)
        .sort()
        .reverse(),
    );
  });

  test('names sort by last name, first name and email, ignoring case and accents', async () => {
    const tenant = asApplication(services, await makeTenant(services));
    const inputs = [
      { first_name: 'Zoe', last_name: 'Example' },
      { first_name: 'ada', last_name: 'example' },
      { email: 'miller@example.test' },
      { last_name: 'Sample' },
      { first_name: 'Bo' },
      { first_name: 'Al', last_name: 'Example Older' },
      { first_name: 'Éa', last_name: 'Éxample' },
    ];
    for (const input of inputs) await createPatient(tenant, input);
    const named = async (sort_by: string) =>
      (await listPatients(tenant, ListPatientsInput.parse({ sort_by }))).items.map(
        (one) => one.first_name ?? one.last_name ?? one.email,
      );
    const expected = ['Bo', 'ada', 'Éa', 'Zoe', 'Al', 'Sample', 'miller@example.test'];
    expect(await named('name')).toEqual(expected);
    expect(await named('-name')).toEqual(expected.toReversed());
    expect(() => ListPatientsInput.parse({ sort_by: 'email' })).toThrow(/created_at, updated_at, name/);
  });

  test('cursor pages contain a total on request', async () => {
    expect(await list({ size: 1, with_total: 'true' })).toMatchObject({ total: { count: 4, capped: false } });
    expect(await list({ size: 1, search: 'exa', with_total: true })).toMatchObject({ total: { count: 2 } });
    expect((await list({ size: 1 })).total).toBeUndefined();
  });

  test('numbered pages contain totals', async () => {
    expect(await list({ page: 2, size: 3 })).toMatchObject({ totals: { count: 4, pages: 2, page: 2 } });
    expect(await names({ page: 2, size: 3 })).toEqual(['Ann']);
    expect(await names({ page: 1_000_000, size: 1000 })).toEqual([]);
  });

  test.each([
    ['starting_after', () => newId()],
    ['ending_before', () => newId()],
    ['starting_after', () => 'no id'],
  ])('an unknown cursor in %s returns invalid_parameter with the parameter name', async (parameter, cursor) => {
    await expect(list({ [parameter]: cursor() })).rejects.toMatchObject({
      faults: [{ code: 'invalid_parameter', source: { parameter } }],
    });
  });

  test('a cursor of another tenant is rejected', async () => {
    const otherTenantPatient = await createPatient(asApplication(services, await makeTenant(services)), {});
    await expect(list({ starting_after: otherTenantPatient.id })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test('after the last row the page is empty', async () => {
    expect(await list({ starting_after: ids.get('Ann') })).toMatchObject({ items: [], next: null });
  });

  test('rejects a page number combined with a cursor', async () => {
    await expect(list({ page: 1, starting_after: newId() })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });
});

describe('search', () => {
  test.each([
    ['exa', ['José', 'Ann']],
    ['EXAMPLE ann', ['Ann']],
    ['Example, Ann', ['Ann']],
    ['example,jos', ['José']],
    ['jose', ['José']],
    ['(202) 555-0123', ['Bob']],
    ['0123', ['Bob']],
    ['ann@example', ['Ann']],
    ['100%', ['Bob']],
    ['%', ['Bob']],
    ['_', ['Bob']],
    ['a\\b', ['Bob']],
    ["' or 1=1 --", []],
    ['old', []],
    ['vip', ['José', 'Ann']],
    ['a', ['Bob', 'Ann']],
    ['xa', []],
    ['an exa', ['Ann']],
    ['1990-11-21', ['Ann']],
    ['11/21/1990 exa', ['Ann']],
    ['21.11.1990 sample', []],
    ['29 Feb 2004', ['José']],
    ['29.2.2005', []],
    ['10-12-1998', ['Dee']],
    ['exampel', []],
  ])('%s finds %j', async (search, expected) => expect(await names({ search })).toEqual(expected));
});

describe('filter parameters', () => {
  test('commas mean any of, repeated parameters mean all of', async () => {
    expect(await names({ by_first_name: 'Ann,Bob' })).toEqual(['Bob', 'Ann']);
    expect(await names({ by_tags: 'vip,new' })).toEqual(['Dee', 'José', 'Ann']);
    expect(await names({ by_tags: ['vip', 'new'] })).toEqual(['José']);
    expect(await names({ by_first_name: 'Ann', by_last_name: 'Sample' })).toEqual([]);
  });
  test('by_status includes archived patients', async () => {
    expect(await names({ by_status: 'archived' })).toEqual(['Old']);
    expect(await names({ by_status: 'active,archived' })).toHaveLength(5);
  });
  test('match an email in any case, a phone number in any format, and an id', async () => {
    expect(await names({ by_email: 'ANN@example.test' })).toEqual(['Ann']);
    expect(await names({ by_primary_phone_number: '(202) 555-0123' })).toEqual(['Bob']);
    expect(await names({ by_id: `${ids.get('Dee')},no id` })).toEqual(['Dee']);
    expect(await names({ by_id: 'no id' })).toEqual([]);
  });
  test('reject an unknown status', async () => {
    await expect(list({ by_status: 'gone' })).rejects.toMatchObject({
      faults: [{ source: { parameter: 'by_status' } }],
    });
  });
});

describe('filters', () => {
  test.each([
    ['first_name', 'eq', 'Ann', ['Ann']],
    ['first_name', 'not_eq', 'Ann', ['Dee', 'José', 'Bob']],
    ['first_name', 'matches', 'OS', ['José']],
    ['last_name', 'matches', '%_', ['Bob']],
    ['last_name', 'matches', '_', ['Bob']],
    ['last_name', 'does_not_match', 'exam', ['Dee', 'Bob']],
    ['external_id', 'matches', '\\', ['Bob']],
    ['external_id', 'not_eq', 'x', ['Dee', 'José', 'Bob', 'Ann']],
    ['email', 'eq', 'ANN@EXAMPLE.TEST', ['Ann']],
    ['email', 'in', ['ann@example.test', 'x@example.test'], ['Ann']],
    ['first_name', 'not_in', ['Ann', 'Bob'], ['Dee', 'José']],
    ['tags', 'eq', 'vip', ['José', 'Ann']],
    ['tags', 'not_eq', 'vip', ['Dee', 'Bob']],
    ['tags', 'matches', 'NE', ['Dee', 'José']],
    ['tags', 'does_not_match', 'v', ['Dee', 'Bob']],
    ['tags', 'in', ['vip', 'new'], ['Dee', 'José', 'Ann']],
    ['primary_phone_number', 'matches', '555', ['Bob']],
    ['age', 'eq', 36, ['Ann']],
    ['age', 'not_eq', 36, ['Dee', 'José', 'Bob']],
    ['age', 'gt', 35, ['Ann']],
    ['age', 'gteq', 35, ['Dee', 'Ann']],
    ['age', 'lt', 35, ['José']],
    ['age', 'lteq', 35, ['Dee', 'José']],
    ['age', 'in', [22, 36], ['José', 'Ann']],
    ['age', 'not_in', [22, 36], ['Dee', 'Bob']],
    ['age', 'lt', 9_000_000_000, ['Dee', 'José', 'Ann']],
    ['age', 'gt', 9_000_000_000, []],
    ['age', 'gteq', -5, ['Dee', 'José', 'Ann']],
    ['created_at', 'gt', '2026-11-21T12:00:03Z', ['Dee']],
    ['created_at', 'lteq', '2026-11-21T07:00:02-05:00', ['Bob', 'Ann']],
    ['created_at', 'in', ['2026-11-21T12:00:01Z'], ['Ann']],
    ['created_at', 'not_eq', '2026-11-21T12:00:01Z', ['Dee', 'José', 'Bob']],
    ['created_at', 'gteq', '0000-01-01', ['Dee', 'José', 'Bob', 'Ann']],
    ['created_at', 'lt', '9999-12-31T23:59:59-23:00', ['Dee', 'José', 'Bob', 'Ann']],
    ['updated_at', 'gt', '2026-11-21T12:00:06Z', ['Ann']],
  ])('%s %s %j', async (field, operator, value, expected) => {
    expect(await names({ filters: [filter(field, operator, value)] })).toEqual(expected);
  });

  test('match an id exactly and partially', async () => {
    const id = ids.get('Bob')!;
    expect(await names({ filters: [filter('id', 'eq', id)] })).toEqual(['Bob']);
    expect(await names({ filters: [filter('id', 'matches', id.slice(9).toUpperCase())] })).toEqual(['Bob']);
    expect(await names({ filters: [filter('id', 'not_in', [id, 'x'])] })).toEqual(['Dee', 'José', 'Ann']);
  });

  test('are combined with and, or with or on request', async () => {
    const both = [filter('first_name', 'eq', 'Ann'), filter('age', 'lt', 30)];
    expect(await names({ filters: both })).toEqual([]);
    expect(await names({ filters: both, filters_operator: 'or' })).toEqual(['José', 'Ann']);
    expect(await names({ filters: both, filters_operator: 'or', by_tags: 'new' })).toEqual(['José']);
  });
});
