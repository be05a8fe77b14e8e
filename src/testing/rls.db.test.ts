import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { insertOf, readTables, type Table } from './catalogue.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** What belongs to the deployment and not to a tenant. */
const SHARED = {
  signing_keys: 'the deployment signs for all tenants; private halves are encrypted',
  rate_limit_counts: 'counts addresses before anybody is known; holds no tenant data',
  _prisma_migrations: 'which migrations ran',
};
/** The job queue's own schema: its rows hold ids only, and a worker serves all tenants. */
const SHARED_SCHEMAS = ['graphile_worker'];

const MINE = newId();
const OTHER = newId();
let database: TestDatabase;
let owner: pg.Client;
let service: pg.Client;
let tables: Table[];

beforeAll(async () => {
  database = await createTestDatabase();
  owner = await connect(database.ownerUrl);
  service = await connect(database.url);
  tables = await protectedTables();
  // The walk needs one row in each table, not a consistent clinic: foreign keys and triggers stay out of the way.
  await owner.query('set session_replication_role = replica');
  for (const table of tables) await owner.query(await insertOf(owner, table, MINE));
});
afterAll(async () => {
  await service?.end();
  await owner?.end();
  await database?.drop();
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
const protectedTables = async () =>
  (await readTables(owner, SHARED_SCHEMAS)).filter((table) => !Object.hasOwn(SHARED, table.name));
const contents = async ({ name }: Table) =>
  (await owner.query(`select to_jsonb(t) as row from "${name}" t order by 1::text`)).rows;

/** Runs as the service. `none`: the connection was never told a tenant; `emptied`: it was told to forget it. */
async function as(who: string, query: pg.QueryConfig | string): Promise<number | null> {
  const client = who === 'none' ? await connect(database.url) : service;
  try {
    if (who !== 'none')
      await client.query("select set_config('app.tenant_id', $1, false)", [who === 'emptied' ? '' : who]);
    return (await client.query(query)).rowCount;
  } finally {
    if (who === 'none') await client.end();
  }
}

/** What each operation would do to somebody else's rows if nothing stopped it. */
const attacks = async (table: Table): Promise<[string, pg.QueryConfig | string][]> => [
  ['select', `select * from "${table.name}"`],
  ['insert', await insertOf(owner, table, MINE)],
  ['update', `update "${table.name}" set "${table.tenantColumn}" = "${table.tenantColumn}"`],
  ['delete', `delete from "${table.name}"`],
];

describe('every table of the database', () => {
  test('is protected by forced row-level security, or is named with a reason', async () => {
    expect(tables.filter((table) => !table.isForced)).toEqual([]);
    expect(tables.length).toBeGreaterThan(15);
  });

  test('is found when somebody adds one without protection', async () => {
    const scratch = await createTestDatabase();
    const client = await connect(scratch.ownerUrl);
    await client.query('create table diary (tenant_id uuid not null, words text)');
    await client.query('create view peephole as select * from patients');
    await client.query('create table half (tenant_id uuid not null); alter table half enable row level security');
    const open = (await readTables(client, SHARED_SCHEMAS)).filter((table) => !table.isForced);
    expect(open.map((table) => table.name)).toEqual(expect.arrayContaining(['diary', 'half', 'peephole']));
    await client.end();
    await scratch.drop();
  });

  test('shows its rows to their own tenant', async () => {
    for (const { name } of tables) expect([name, await as(MINE, `select * from "${name}"`)]).toEqual([name, 1]);
  });

  test('lets another tenant see, make, change and delete nothing of it', async () => {
    for (const table of tables) {
      const before = await contents(table);
      for (const [operation, query] of await attacks(table)) {
        const touched = await as(OTHER, query).catch((error: pg.DatabaseError) => error.code);
        // Refused for want of the right (42501), or there was nothing to touch; an insert has to be refused.
        const expected = operation === 'insert' ? ['42501'] : [0, '42501'];
        expect(expected, `${operation} on ${table.name}`).toContain(touched);
      }
      expect(await contents(table)).toEqual(before);
    }
  });

  test('fails every operation of a connection that has no tenant', async () => {
    for (const table of tables) {
      const before = await contents(table);
      for (const who of ['none', 'emptied'])
        for (const [operation, query] of await attacks(table))
          await expect(as(who, query), `${operation} on ${table.name} by ${who}`).rejects.toThrow();
      expect(await contents(table)).toEqual(before);
    }
  });

  test('lets no tenant give its rows away', async () => {
    for (const table of tables) {
      const gift = { text: `update "${table.name}" set "${table.tenantColumn}" = $1`, values: [OTHER] };
      await expect(as(MINE, gift), table.name).rejects.toMatchObject({ code: '42501' });
    }
  });
});

describe('the ways around a policy', () => {
  test('no foreign key leads into another tenant, since its check sees past policies', async () => {
    const { rows } = await owner.query(
      `select k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
       where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and not exists (
         select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and a.attname = 'tenant_id')`,
    );
    expect(rows).toEqual([]);
  });

  test('no function runs with its owner’s rights', async () => {
    const { rows } = await owner.query(
      `select p.proname from pg_proc p where p.prosecdef and p.pronamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });

  test('the service refuses to start with a role that could see past policies', async () => {
    const free = openDatabase({ url: database.ownerUrl, poolSize: 2 });
    await expect(free.assertConfined()).rejects.toThrow('bypasses row-level security');
    await free.close();
  });
});

describe('a pooled connection', () => {
  let shared: Database;
  const clinics = Array.from({ length: 5 }, () => newId());

  beforeAll(async () => {
    shared = openDatabase({ url: database.url, poolSize: 2 });
    for (const id of clinics) {
      const db = shared.forTenant(id);
      await db.tenant.create({ data: { id, name: id, timeZone: 'UTC' } });
      await db.tenantRoute.create({ data: { key: `client:${id}`, tenantId: id } });
      for (let n = 0; n < 3; n += 1) await db.patient.create({ data: { id: newId(), tenantId: id, firstName: id } });
    }
  });
  afterAll(() => shared?.close());

  /** Each asks for everything it can see, in one of the ways the service asks. */
  const ways: ((id: string) => Promise<string[]>)[] = [
    async (id) => (await shared.forTenant(id).patient.findMany()).map((row) => row.tenantId),
    async (id) =>
      (await shared.forTenant(id).$queryRaw<{ tenant_id: string }[]>`select tenant_id from patients`).map(
        (row) => row.tenant_id,
      ),
    (id) =>
      shared.forTenant(id).$transaction(async (tx) => {
        const first = await tx.patient.findMany();
        const second = await tx.patient.findMany();
        return [...first, ...second].map((row) => row.tenantId);
      }),
    async (id) => {
      const failed = shared.forTenant(id).$transaction(async (tx) => {
        await tx.patient.create({ data: { id: newId(), tenantId: clinics.find((other) => other !== id)! } });
      });
      await expect(failed).rejects.toThrow();
      return [];
    },
    async (id) => shared.tenantsOf(`client:${id}`),
    async () => {
      await expect(shared.system.patient.findMany()).rejects.toThrow();
      return [];
    },
  ];

  test('never shows one tenant to another, whatever they do at the same time', async () => {
    const asked = Array.from({ length: 600 }, (_, n) => ({ id: clinics[(n * 7) % 5]!, way: ways[n % ways.length]! }));
    const answers = await Promise.all(asked.map(async ({ id, way }) => ({ id, seen: await way(id) })));
    expect(answers.filter(({ id, seen }) => seen.some((tenantId) => tenantId !== id))).toEqual([]);
    expect(answers.flatMap(({ seen }) => seen).length).toBeGreaterThan(1000);
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
