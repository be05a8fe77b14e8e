import pg from 'pg';
import { newId } from '#server/core/ids.ts';
import { insertOf, readTables, type Table } from '../catalogue.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

/** Tables of the deployment, not of a tenant, with the reason. */
const SHARED = {
  signing_keys: 'the deployment signs for all tenants; private halves are encrypted',
  rate_limit_counts: 'counts addresses before anybody is known; holds no tenant data',
  call_turns: 'when the next call to Acuity may go out, which counts by address; holds no tenant data',
  calling_processes: 'which processes call Acuity, and share its connections; holds no tenant data',
  address_signals:
    'what a number told our senders, which serve all clinics; keyed hashes and encrypted words, found by the exact address',
  _prisma_migrations: 'which migrations ran',
  _database_objects: 'which functions, triggers and policies stand',
};
/** The job queue's own schema: its rows hold ids only, and a worker serves all tenants. */
export const SHARED_SCHEMAS = ['graphile_worker'];

export type TenantWalk = {
  database: TestDatabase;
  /** Bypasses every policy. */
  owner: pg.Client;
  /** Each holds one row of `mine`. */
  tables: Table[];
  mine: string;
  other: string;
  /**
   * Runs a query with the service's role. `none`: on a new connection where no tenant was ever set; '': after the
   * tenant was reset. @returns the number of rows
   */
  as(tenant: string, query: pg.QueryConfig | string): Promise<number | null>;
  /** N1: what another tenant can read, insert, update or delete. */
  findLeaks(): Promise<string[]>;
  /** N2: which statements succeed on a connection without a tenant. */
  findAnswersWithoutTenant(): Promise<string[]>;
  stop(): Promise<void>;
};

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Creates a database with one row of one tenant in each tenant table, or only in the given tables. */
export async function startTenantWalk(only?: readonly string[]): Promise<TenantWalk> {
  const [mine, other] = [newId(), newId()];
  const database = await createTestDatabase();
  const owner = await connectTo(database.ownerUrl);
  const service = await connectTo(database.url);
  const tables = (await readTables(owner, SHARED_SCHEMAS)).filter(
    (table) => !Object.hasOwn(SHARED, table.name) && (!only || only.includes(table.name)),
  );
  // The walk needs one row in each table, not a consistent clinic, so foreign keys and triggers are disabled.
  await owner.query('set session_replication_role = replica');
  for (const table of tables) await owner.query(await insertOf(owner, table, mine));

  const contents = async ({ name }: Table) =>
    JSON.stringify((await owner.query(`select to_jsonb(t) as row from "${name}" t order by 1::text`)).rows);
  /** The statements that each operation would run on another tenant's rows. */
  const attacks = async (table: Table): Promise<[string, pg.QueryConfig | string][]> => [
    ['select', `select * from "${table.name}"`],
    ['insert', await insertOf(owner, table, mine)],
    ['update', `update "${table.name}" set "${table.tenantColumn}" = "${table.tenantColumn}"`],
    ['delete', `delete from "${table.name}"`],
  ];

  async function as(tenant: string, query: pg.QueryConfig | string): Promise<number | null> {
    const client = tenant === 'none' ? await connectTo(database.url) : service;
    try {
      if (tenant !== 'none') await client.query("select set_config('app.tenant_id', $1, false)", [tenant]);
      return (await client.query(query)).rowCount;
    } finally {
      if (tenant === 'none') await client.end();
    }
  }
  async function walk(tenant: string, allowed: (operation: string, touched: unknown) => boolean): Promise<string[]> {
    const faults: string[] = [];
    for (const table of tables) {
      const before = await contents(table);
      for (const [operation, query] of await attacks(table)) {
        const touched = await as(tenant, query).catch((error: pg.DatabaseError) => error.code);
        if (!allowed(operation, touched)) faults.push(`${operation} on ${table.name}`);
      }
      if ((await contents(table)) !== before) faults.push(`${table.name} was changed`);
    }
    return faults;
  }
  /** An error is a five-character SQLSTATE, a result is a number of rows. */
  const isError = (touched: unknown) => typeof touched === 'string';

  return {
    database,
    owner,
    tables,
    mine,
    other,
    as,
    // Either a permission error (42501) or no affected row; an insert must fail.
    findLeaks: () =>
      walk(other, (operation, touched) => touched === '42501' || (operation !== 'insert' && touched === 0)),
    findAnswersWithoutTenant: async () => [
      ...(await walk('none', (_, touched) => isError(touched))),
      ...(await walk('', (_, touched) => isError(touched))),
    ],
    async stop() {
      await service.end();
      await owner.end();
      await database.drop();
    },
  };
}
