import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { Prisma, PrismaClient } from '#generated/prisma/client.ts';
import { ConfigError } from './config.ts';
import { assertProtected, assertSessionSettings } from './database/assert-protected.ts';
import { modelsOf, type ReadStatement, type Statement, transactionWithDirectReads } from './database/direct-reads.ts';
import { type Db, scopedClient, type Work } from './database/scoped-client.ts';
import { type Lent, TenantPool, TransactionPool } from './database/tenant-pool.ts';

export { type Db, Prisma };
/** The client inside `db.$transaction(async (tx) => …)`. */
export type Tx = Omit<Prisma.TransactionClient, '$transaction'>;

/** A transaction, or the tenant's client. */
export type Queryable = Pick<Tx, '$queryRaw'> & Partial<Pick<Db, '$query'>>;
/**
 * Runs one statement without Prisma's engine, which costs more than a small statement: on the connection of a
 * transaction, or on any of the tenant. Values come as `$query` converts them.
 */
export const query = <Row>(db: Queryable, statement: Prisma.Sql): Promise<Row[]> => {
  if (db.$query) return db.$query(statement);
  return (direct.get(db)?.(statement) as Promise<Row[]> | null | undefined) ?? db.$queryRaw(statement);
};

/** Runs a statement on an open transaction's connection; null when it is no longer the transaction's. */
const direct = new WeakMap<object, (statement: Prisma.Sql) => Promise<unknown[]> | null>();

/**
 * SQL for a statement to select: outside of a transaction, its commit does not wait for the disk. PostgreSQL writes it
 * with the next commit that waits, or within a second; if the database crashes before that, it is lost.
 */
export const commitWithoutWaiting = (db: Queryable): Prisma.Sql =>
  db.$query ? Prisma.sql`set_config('synchronous_commit', 'off', true)` : Prisma.sql`null`;

export type Database = {
  /** The rows of one tenant. */
  forTenant(tenantId: string): Db;
  /** No tenant: any query on a tenant's table fails. Only for the deployment's own tables. */
  system: Db;
  /** The tenants that a key maps to, e.g. `client:{id}`, `staff:{email}`, `stripe:{account}`, `tenants`. */
  tenantsOf(key: string): Promise<string[]>;
  /** Marks that this client wrote an event: `onEvents` gets the tenant's id after the commit. */
  wroteEvent(tx: Tx, tenantId: string): void;
  /** The tenants that have events without a position. */
  tenantsWithUnnumbered(): Promise<string[]>;
  /**
   * Rejects a role that bypasses row-level security, tables that lack it, and a pooler that would mix session settings.
   * @throws {ConfigError}
   */
  assertConfined(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  url: string;
  poolSize: number;
  /** `transaction`: a pooler in front of the database gives each transaction another connection. */
  pooler?: 'none' | 'transaction';
  onError?: (error: Error) => void;
  /** Called after the commit of a transaction of this process that wrote an event. */
  onEvents?: (tenantId: string) => void;
};

/** Opens one Prisma client over one pool of connections, for all tenants. */
export function openDatabase({ url, poolSize, pooler = 'none', onError, onEvents }: Options): Database {
  const pool = new (pooler === 'transaction' ? TransactionPool : TenantPool)({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 60_000,
    application_name: 'carelane',
  });
  pool.on('error', (error) => onError?.(error));
  // A prepared statement belongs to one connection; behind the pooler the next transaction has another.
  const nameOf = pooler === 'transaction' ? null : namesOfStatements();
  const client = new PrismaClient({
    adapter: new PrismaPg(pool, nameOf ? { statementNameGenerator: ({ sql }) => nameOf(sql) } : {}),
    transactionOptions: { maxWait: 15_000, timeout: 20_000 },
  });
  /** Open transactions and the tenants for which they have written events. */
  const open = new WeakMap<object, Set<string>>();
  const transact = async (run: (work: Work, lent: Lent) => Promise<unknown>, work: Work) => {
    const writtenTenants = new Set<string>();
    const lent: Lent = { connection: null };
    const result = await run((tx) => {
      const onConnection = (statement: Statement) => lent.connection?.query(named(statement)) ?? null;
      const reading = transactionWithDirectReads(tx, models, onConnection);
      open.set(reading, writtenTenants);
      direct.set(reading, (statement) => onConnection(statement)?.then(rowsOf) ?? null);
      return work(reading);
    }, lent);
    for (const tenantId of writtenTenants) onEvents?.(tenantId);
    return result;
  };
  const models = modelsOf(client);
  const named = (statement: Statement & Partial<ReadStatement>): pg.QueryConfig => {
    const { text, values, types } = statement;
    const name = nameOf?.(text);
    return { text, values, ...(name && { name }), ...(types && { types }) };
  };
  const rowsOf = ({ rows }: pg.QueryResult): unknown[] => rows;
  const forTenant = (tenantId: string) =>
    scopedClient(
      client,
      (work, lent) => pool.within({ tenantId }, work, lent),
      transact,
      (statement) => pool.queryWithin({ tenantId, routeKey: '' }, named(statement)).then(rowsOf),
      models,
      (statement) => pool.queryWithin({ tenantId, routeKey: '' }, named(statement)),
    );
  return {
    system: forTenant(''),
    forTenant,
    async tenantsOf(key) {
      const { rows } = await pool.within({ routeKey: key }, () =>
        pool.query<{ tenant_id: string }>('select tenant_id from tenant_routes where key = $1 order by tenant_id', [
          key,
        ]),
      );
      return rows.map((row) => row.tenant_id);
    },
    wroteEvent(tx, tenantId) {
      const writtenTenants = open.get(tx);
      if (writtenTenants) writtenTenants.add(tenantId);
      else onEvents?.(tenantId);
    },
    async tenantsWithUnnumbered() {
      const { rows } = await pool.within({ routeKey: 'unnumbered' }, () =>
        pool.query<{ tenant_id: string }>(TENANTS_WITH_UNNUMBERED),
      );
      return rows.map((row) => row.tenant_id);
    },
    async assertConfined() {
      const { rows } = await pool.within({}, () =>
        pool.query<{ free: boolean }>(
          'select rolsuper or rolbypassrls as free from pg_roles where rolname = current_user',
        ),
      );
      if (rows[0]?.free)
        throw new ConfigError(
          'DATABASE_URL names a role that bypasses row-level security; use one without that right.',
        );
      await pool.within({}, () => assertProtected((text, values) => pool.query(text, values)));
      if (pooler === 'none') await assertSessionSettings(url);
    },
    async close() {
      await client.$disconnect();
      await pool.close();
    },
  };
}

/** Skips along the index from tenant to tenant (loose index scan), so the number of waiting events does not matter. */
const TENANTS_WITH_UNNUMBERED = `
  with recursive waiting as (
    (select tenant_id from unnumbered_events order by tenant_id limit 1)
    union all
    select (select tenant_id from unnumbered_events where tenant_id > waiting.tenant_id order by tenant_id limit 1)
    from waiting where tenant_id is not null
  ) select tenant_id from waiting where tenant_id is not null`;

const MAX_NAMED_STATEMENTS = 1000;
/**
 * Names one prepared statement per query text, the same on all connections. PostgreSQL keeps a statement as long as the
 * connection lives, so texts beyond the first thousand (rare combinations of filters) are not prepared.
 */
function namesOfStatements(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known) return known;
    if (names.size >= MAX_NAMED_STATEMENTS) return '';
    const name = `s${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}
