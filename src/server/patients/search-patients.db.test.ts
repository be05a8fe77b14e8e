import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListPatientsInput } from '#contract/list-patients.ts';
import { asApplication, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { describeScans, explain, nodesOf } from '#dev/testing/query-plan.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, query } from '#server/core/db.ts';
import { createPatient } from './create-patient.ts';
import { listPatients } from './list-patients.ts';

let clinic: Clinic;
let nurse: Context;
let elsewhere: Context;
let owner: pg.Client;
const NAMES = [
  'Wei Smith',
  'Catherine Jones',
  'Maria Johnson',
  'Jan Novak',
  'Wilma Smythe',
  'Aisha Khan',
  '𠮷太野 Example',
];
beforeAll(async () => {
  clinic = await withClinic();
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  const [here, there] = [await makeTenant(clinic.services), await makeTenant(clinic.services)];
  nurse = asPractitioner(clinic.services, here);
  elsewhere = asPractitioner(clinic.services, there);
  for (const name of NAMES) {
    const [first_name, last_name] = name.split(' ') as [string, string];
    await createPatient(nurse, { first_name, last_name });
    await createPatient(elsewhere, { first_name: `${first_name}-Elsewhere`, last_name });
  }
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

const find = async (search: string, ctx = nurse) => {
  const { items, is_similar = false } = await listPatients(ctx, ListPatientsInput.parse({ search, sort_by: 'name' }));
  return [items.map(({ first_name, last_name }) => `${first_name} ${last_name}`), is_similar];
};

describe('words that are spelled nearly the same', () => {
  test.each([
    ['wie smith', 'Wei Smith'],
    ['smiht', 'Wei Smith'],
    ['jonson', 'Maria Johnson'],
    ['johnsson', 'Maria Johnson'],
    ['Cathrine', 'Catherine Jones'],
    ['katherine', 'Catherine Jones'],
    ['ajsha', 'Aisha Khan'],
    ['hkan', 'Aisha Khan'],
    ['Novac jan', 'Jan Novak'],
    ['𠮷野太', '𠮷太野 Example'],
  ])('%s finds %s, and says so', async (search, name) => {
    const [names, isSimilar] = await find(search);
    expect(names).toContain(name);
    expect(isSimilar).toBe(true);
  });

  test.each(['xqzvk', 'wie jones', 'jab', 'maria 555 0000', "smiht' --", 'smi%ht', 'exampel.com'])(
    '%s finds none',
    async (search) => {
      expect(await find(search)).toEqual([[], false]);
    },
  );

  test('are not looked for where a word matches exactly, nor for an application', async () => {
    expect(await find('smith')).toEqual([['Wei Smith'], false]);
    const app = asApplication(clinic.services, { id: nurse.tenantId });
    expect(await find('smith', app)).toEqual([['Wei Smith'], false]);
    expect(await find('smiht', app)).toEqual([[], false]);
  });
});

describe('the functions of the owner', () => {
  const CALLS = [
    `select id from carelane_find_patients('[["%smith%"]]', array['active'], 100) as found (id)`,
    `select id from carelane_find_similar_patients('[{"exact": ["%smiht%"], "swapped": [], "word": "smiht", "distance": 2}]', 0.3, array['active'], 100) as found (id)`,
  ];
  const idsOf = async (ctx: Context, call: string) =>
    (await query<{ id: string }>(ctx.db, Prisma.raw(call))).map(({ id }) => id).sort();
  const ownIds = async (ctx: Context) =>
    (await ctx.db.patient.findMany({ where: { lastName: { in: ['Smith'] } }, select: { id: true } })).map(
      ({ id }) => id,
    );

  /** Ids that the connection's tenant cannot see. */
  async function leaksOf(ctx: Context, call: string): Promise<string[]> {
    const ids = await idsOf(ctx, call);
    expect(ids).toEqual(expect.arrayContaining(await ownIds(ctx)));
    const own = await ctx.db.patient.findMany({ where: { id: { in: ids } }, select: { id: true } });
    return ids.filter((id) => !own.some((patient) => patient.id === id));
  }

  test.each(CALLS)('return rows of the connection’s tenant alone: %s', async (call) => {
    for (const ctx of [nurse, elsewhere]) expect(await leaksOf(ctx, call)).toEqual([]);
    await expect(query(clinic.services.database.system, Prisma.raw(call))).rejects.toThrow();
  });

  test('of which one that forgot the tenant would be detected', async () => {
    for (const [n, name] of ['carelane_find_patients', 'carelane_find_similar_patients'].entries()) {
      const { rows } = await owner.query(`select pg_get_functiondef($1::regproc) as source`, [name]);
      await owner.query(rows[0].source.replace('WHERE tenant_id = $1 AND', 'WHERE $1 IS NOT NULL AND'));
      expect(await leaksOf(nurse, CALLS[n]!)).not.toEqual([]);
      await owner.query(rows[0].source);
      expect(await leaksOf(nurse, CALLS[n]!)).toEqual([]);
    }
  });

  test('cannot be made to run other SQL by a search', async () => {
    for (const search of ["' or true --", "%') or (true", '$$ or true', '%1$s', "smith' or 'a' like 'a"])
      expect((await find(search))[0]).toEqual([]);
  });

  test('use the index of parts of words, also among many other patients', async () => {
    await owner.query(
      `insert into patients (id, tenant_id, first_name, last_name, search_text, created_at, updated_at)
       select gen_random_uuid(), $1, 'Oak', 'Number' || n, 'oak number' || n || ' e-' || n, now(), now()
       from generate_series(1, 20000) n`,
      [nurse.tenantId],
    );
    await owner.query('vacuum analyze patients');
    await owner.query('begin');
    await owner.query(`select set_config('app.tenant_id', $1, true)`, [nurse.tenantId]);
    const plans: string[] = [];
    const statement = (likes: string) =>
      Prisma.raw(`select id from patients where tenant_id = '${nurse.tenantId}' and ${likes} limit 2001`);
    const db = { $queryRawUnsafe: async (text: string) => (await owner.query(text)).rows } as never;
    for (const likes of [`search_text like '%smith%'`, `search_text like '%xqzvk%'`, `search_text %> 'smiht'`]) {
      const plan = await explain(db, statement(likes));
      plans.push(describeScans(plan));
      expect(nodesOf(plan).map((node) => node['Index Name'])).toContain('patients_search_idx');
      expect(plans.at(-1)).not.toMatch(/\b\d{4,} rows/);
    }
    await owner.query('rollback');
    expect(await find('smith')).toEqual([['Wei Smith'], false]);
    expect((await find('number19999'))[0]).toEqual(['Oak Number19999']);
    // More common than the functions return: found in the order of the list.
    expect((await find('oak'))[0]).toHaveLength(20);
    expect((await find('o nu'))[0]).toHaveLength(20);
  });
});
