import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '#generated/prisma/client.ts';
import { assertSticky } from './database/assert-sticky.ts';
import { type Db, scopedClient } from './database/scoped-client.ts';
import { TenantPool } from './database/tenant-pool.ts';
import { TransactionPool } from './database/transaction-pool.ts';

export { type Db, Prisma };
/** Inside `db.$transaction(async (tx) => …)`. */
export type Tx = Omit<Prisma.TransactionClient, '$transaction'>;

export type Database = {
  /** The rows of one tenant. */
  forTenant(tenantId: string): Db;
  /** No tenant: any query on a tenant's table fails. For the deployment's own tables only. */
  system: Db;
  /** The tenants that a key leads to, e.g. `client:{id}`, `staff:{email}`, `stripe:{account}`, `tenants`. */
  tenantsOf(key: string): Promise<string[]>;
  /** Refuses a role that could see past row-level security, and a pooler that would mix what connections are told. */
  assertConfined(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  url: string;
  poolSize: number;
  /** `transaction`: before the database stands a pooler that gives each transaction another connection. */
  pooler?: 'none' | 'transaction';
  onError?: (error: Error) => void;
};

/** One Prisma client over one pool of connections, for all tenants. */
export function openDatabase({ url, poolSize, pooler = 'none', onError }: Options): Database {
  const pool = new (pooler === 'transaction' ? TransactionPool : TenantPool)({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 60_000,
    application_name: 'carelane',
  });
  pool.on('error', (error) => onError?.(error));
  const client = new PrismaClient({
    // A statement has its name on one connection, which after the transaction is somebody else's.
    adapter: new PrismaPg(pool, pooler === 'transaction' ? {} : { statementNameGenerator: namesOfStatements() }),
    transactionOptions: { maxWait: 15_000, timeout: 20_000 },
  });
  const forTenant = (tenantId: string) => scopedClient(client, (work) => pool.within({ tenantId }, work));
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
    async assertConfined() {
      const { rows } = await pool.within({}, () =>
        pool.query<{ free: boolean }>(
          'select rolsuper or rolbypassrls as free from pg_roles where rolname = current_user',
        ),
      );
      if (rows[0]?.free)
        throw new Error('DATABASE_URL names a role that bypasses row-level security; use one without that right.');
      if (pooler === 'none') await assertSticky(url);
    },
    async close() {
      await client.$disconnect();
      await pool.close();
    },
  };
}

const MAX_NAMED_STATEMENTS = 1000;
/**
 * One prepared statement for each text, named the same in all connections. PostgreSQL keeps them as long as the
 * connection lives, so texts beyond the first thousand (chance combinations of filters) are not prepared.
 */
function namesOfStatements(): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known) return known;
    if (names.size >= MAX_NAMED_STATEMENTS) return '';
    const name = `s${names.size + 1}`;
    names.set(sql, name);
    return name;
  };
}
