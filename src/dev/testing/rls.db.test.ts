import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#server/core/db.ts';
import { readTables } from './catalogue.ts';
import { createTestDatabase } from './database.ts';
import { makeClinics, runConcurrentQueries } from './invariants/pooled-connections.ts';
import { connectTo, SHARED_SCHEMAS, startTenantWalk, type TenantWalk } from './invariants/tenant-walk.ts';

/**
 * The SECURITY DEFINER functions that the service's role may call. None accepts a tenant id as an argument to choose
 * rows, or returns a row.
 */
const WITH_OWNERS_RIGHTS: Record<string, string> = {
  audit_tenants_to_seal: 'tells whose entries wait for a seal, by the tenant’s id alone',
  check_audit_seals: 'tells of the connection’s own tenant’s seals where they do not fit',
  carelane_find_patients: 'ids of the connection’s own tenant, found by an index that needs the owner',
  carelane_find_similar_patients: 'ids of the connection’s own tenant, found by an index that needs the owner',
  carelane_note_unsealed: 'a trigger: what is to be sealed is noted where the service cannot write',
  drop_log_partitions: 'drops what is older than a floor of its own',
  make_log_partitions: 'makes the partitions of the coming months',
  seal_audit: 'lengthens a chain that the service cannot write',
  trim_audit_seals: 'deletes seals of what was dropped',
};

let walk: TenantWalk;
beforeAll(async () => {
  walk = await startTenantWalk();
});
afterAll(() => walk?.stop());

describe('every table', () => {
  test('has forced row-level security, or is listed with a reason', async () => {
    expect(walk.tables.filter((table) => !table.isForced)).toEqual([]);
    expect(walk.tables.length).toBeGreaterThan(15);
  });

  test('is detected when it is added without protection', async () => {
    const scratch = await createTestDatabase();
    const client = await connectTo(scratch.ownerUrl);
    await client.query('create table diary (tenant_id uuid not null, words text)');
    await client.query('create view peephole as select * from patients');
    await client.query('create table half (tenant_id uuid not null); alter table half enable row level security');
    const open = (await readTables(client, SHARED_SCHEMAS)).filter((table) => !table.isForced);
    expect(open.map((table) => table.name)).toEqual(expect.arrayContaining(['diary', 'half', 'peephole']));
    await client.end();
    await scratch.drop();
  });

  test('shows its rows to their own tenant', async () => {
    for (const { name } of walk.tables)
      expect([name, await walk.as(walk.mine, `select * from "${name}"`)]).toEqual([name, 1]);
  });

  test('lets another tenant read, insert, update or delete none of its rows', async () => {
    expect(await walk.findLeaks()).toEqual([]);
  });

  test('fails every statement of a connection without a tenant', async () => {
    expect(await walk.findAnswersWithoutTenant()).toEqual([]);
  });

  test('does not let a tenant move a row to another tenant', async () => {
    for (const table of walk.tables) {
      const gift = { text: `update "${table.name}" set "${table.tenantColumn}" = $1`, values: [walk.other] };
      await expect(walk.as(walk.mine, gift), table.name).rejects.toMatchObject({ code: '42501' });
    }
  });
});

describe('bypasses of a policy', () => {
  test('every foreign key includes the tenant, because its check bypasses policies', async () => {
    const { rows } = await walk.owner.query(
      `select k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
       where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and not exists (
         select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and a.attname = 'tenant_id')`,
    );
    expect(rows).toEqual([]);
  });

  test('a function with its owner’s rights is listed with a reason', async () => {
    const { rows } = await walk.owner.query<{ name: string; fixed: boolean; open: boolean }>(
      `select p.proname as name, exists (select from unnest(p.proconfig) s where s ~ '^search_path=public, pg_temp$') as fixed,
         exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as open
       from pg_proc p where p.prosecdef and p.pronamespace = 'public'::regnamespace order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(WITH_OWNERS_RIGHTS).sort());
    // The search path is fixed, and only the service's role may execute the function.
    expect(rows.filter(({ fixed, open }) => !fixed || open)).toEqual([]);
  });

  test('the service refuses to start with a role that bypasses policies', async () => {
    const free = openDatabase({ url: walk.database.ownerUrl, poolSize: 2 });
    await expect(free.assertConfined()).rejects.toThrow('bypasses row-level security');
    await free.close();
  });
});

describe('a pooled connection', () => {
  let shared: Database;
  let clinics: string[];

  beforeAll(async () => {
    shared = openDatabase({ url: walk.database.url, poolSize: 2 });
    clinics = await makeClinics(shared);
  });
  afterAll(() => shared?.close());

  test('never shows one tenant’s rows to another under concurrent use', async () => {
    const { leaks, seen } = await runConcurrentQueries(shared, clinics);
    expect(leaks).toEqual([]);
    expect(seen).toBeGreaterThan(1000);
  });

  test('fails a query without a tenant, right after a tenant used the connection', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await shared.forTenant(clinics[0]!).patient.findMany();
      await expect(shared.system.patient.findMany()).rejects.toThrow();
      await expect(shared.system.patient.deleteMany()).rejects.toThrow();
      await expect(shared.system.$queryRaw`select * from events`).rejects.toThrow();
    }
  });
});
