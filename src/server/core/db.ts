import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { Prisma, PrismaClient } from '#generated/prisma/client.ts';

export { Prisma };
export type Db = PrismaClient;
/** Inside `db.$transaction(async (tx) => …)`. */
export type Tx = Prisma.TransactionClient;

const TENANT = 'app.tenant_id';
const ROUTE = 'app.route_key';
/** Each costs about 3 MB; one that falls out is made again in about 15 ms. */
const MAX_TENANT_CLIENTS = 64;
const state = Symbol('what the connection was last told');
type Connection = pg.PoolClient & { [state]?: string };
type ConnectCallback = (
  error: Error | undefined,
  client?: pg.PoolClient,
  release?: (e?: Error | boolean) => void,
) => void;

/**
 * A view of the one pool in which every connection that is handed out has been told whose rows it may see. The setting
 * sticks to the connection, so a tenant that keeps using it pays nothing (guarantees.md, N2 and N3); the pool itself is
 * never handed out, so no query runs on a connection that was told something else.
 */
class ScopedPool extends pg.Pool {
  readonly #shared: pg.Pool;
  readonly #scope: { tenantId: string; routeKey: string };
  readonly #label: string;

  constructor(shared: pg.Pool, scope: { tenantId?: string; routeKey?: string }) {
    super({ max: 1 });
    this.#shared = shared;
    this.#scope = { tenantId: scope.tenantId ?? '', routeKey: scope.routeKey ?? '' };
    this.#label = JSON.stringify(this.#scope);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const ready = this.#checkOut();
    if (!callback) return ready;
    ready.then(
      (client) => callback(undefined, client, client.release.bind(client)),
      (error: Error) => callback(error),
    );
    return undefined;
  }

  async #checkOut(): Promise<pg.PoolClient> {
    const client: Connection = await this.#shared.connect();
    if (client[state] === this.#label) return client;
    try {
      delete client[state];
      const { tenantId, routeKey } = this.#scope;
      await client.query({
        name: 'scope',
        text: 'select set_config($1, $2, false), set_config($3, $4, false)',
        values: [TENANT, tenantId, ROUTE, routeKey],
      });
      client[state] = this.#label;
      return client;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    if (!callback) return Promise.resolve();
    callback();
    return undefined;
  }
}

export type Database = {
  /** The rows of one tenant. */
  forTenant(tenantId: string): Db;
  /** No tenant: any query on a tenant's table fails. For the deployment's own tables only. */
  system: Db;
  /** The tenants that a key leads to, e.g. `client:{id}`, `staff:{email}`, `stripe:{account}`, `tenants`. */
  tenantsOf(key: string): Promise<string[]>;
  /** Refuses a role that could see past row-level security. */
  assertConfined(): Promise<void>;
  close(): Promise<void>;
};

export function openDatabase(options: { url: string; poolSize: number; onError?: (error: Error) => void }): Database {
  const shared = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 60_000,
    application_name: 'carelane',
  });
  shared.on('error', (error) => options.onError?.(error));
  const open = (scope: { tenantId?: string; routeKey?: string }) =>
    new PrismaClient({
      adapter: new PrismaPg(new ScopedPool(shared, scope), { statementNameGenerator: statementName }),
      transactionOptions: { maxWait: 15_000, timeout: 20_000 },
    });
  const system = open({});
  const tenants = new LRUCache<string, Db>({ max: MAX_TENANT_CLIENTS });
  return {
    system,
    forTenant(tenantId) {
      let db = tenants.get(tenantId);
      if (!db) {
        db = open({ tenantId });
        tenants.set(tenantId, db);
      }
      return db;
    },
    async tenantsOf(key) {
      const pool = new ScopedPool(shared, { routeKey: key });
      const { rows } = await pool.query<{ tenant_id: string }>(
        'select tenant_id from tenant_routes where key = $1 order by tenant_id',
        [key],
      );
      return rows.map((row) => row.tenant_id);
    },
    async assertConfined() {
      const { rows } = await shared.query<{ free: boolean }>(
        'select rolsuper or rolbypassrls as free from pg_roles where rolname = current_user',
      );
      if (rows[0]?.free)
        throw new Error('DATABASE_URL names a role that bypasses row-level security; use one without that right.');
    },
    async close() {
      await system.$disconnect();
      await Promise.all([...tenants.values()].map((db) => db.$disconnect()));
      await shared.end();
    },
  };
}

const MAX_NAMED_STATEMENTS = 1000;
const names = new Map<string, string>();
/**
 * One prepared statement for each text, named the same in all connections. PostgreSQL keeps them as long as the
 * connection lives, so texts beyond the first thousand (chance combinations of filters) are not prepared.
 */
function statementName({ sql }: { sql: string }): string {
  const known = names.get(sql);
  if (known) return known;
  if (names.size >= MAX_NAMED_STATEMENTS) return '';
  const name = `s${names.size + 1}`;
  names.set(sql, name);
  return name;
}
