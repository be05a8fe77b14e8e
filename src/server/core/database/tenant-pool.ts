import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { BoundedPool } from './bounded-pool.ts';

/**
 * The rows that a connection may see: a tenant's, or those of `tenant_routes` with one exact key. Empty strings show
 * none.
 */
export type Scope = { tenantId: string; routeKey: string };
/** The connection that work has taken, until it is released. */
export type Lent = { connection: pg.PoolClient | null };
type InScope = Scope & { lent?: Lent | undefined };

const currentScope = Symbol('the scope that is set on the connection');
type Connection = pg.PoolClient & { [currentScope]?: Scope };
type ConnectCallback = (
  error: Error | undefined,
  client?: pg.PoolClient,
  release?: (e?: Error | boolean) => void,
) => void;

const isSame = (a: Scope | undefined, b: Scope): boolean => a?.tenantId === b.tenantId && a.routeKey === b.routeKey;

/**
 * A view of the shared connections for Prisma: each connection has the caller's scope set before it is handed out. The
 * setting stays on the connection, so a tenant that reuses it pays nothing. The shared pool itself is never exposed, so
 * no query runs on a connection with another scope.
 */
export class TenantPool extends pg.Pool {
  readonly #shared: BoundedPool;
  readonly #scope = new AsyncLocalStorage<InScope>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ max: 1 });
    this.#shared = new BoundedPool(config);
    this.#shared.on('error', (error, client) => this.emit('error', error, client));
  }

  /** Runs work; connections handed out during it have this scope and no other. `lent` gets the one that it holds. */
  within<Result>({ tenantId = '', routeKey = '' }: Partial<Scope>, work: () => Result, lent?: Lent): Result {
    return this.#scope.run({ tenantId, routeKey, lent }, work);
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

  /** Runs one statement with this scope. Costs less than `within`, which Prisma needs: no promise has to carry the scope. */
  async queryWithin(scope: Scope, statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.#checkOut(scope);
    try {
      const result = await client.query(statement);
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  async #checkOut(scope: InScope | undefined = this.#scope.getStore()): Promise<pg.PoolClient> {
    if (!scope) throw new Error('a query was made outside of any scope');
    const isScoped = (client: Connection) => isSame(client[currentScope], scope);
    // Only an optimization: `handOut` checks the scope of each connection.
    const client = await this.handOut(await this.#shared.connectPreferring(isScoped), scope);
    if (scope.lent) lend(client, scope.lent);
    return client;
  }

  /** Sets the scope on the connection. A connection whose scope cannot be set is released and not handed out. */
  protected async handOut(client: Connection, scope: Scope): Promise<pg.PoolClient> {
    if (isSame(client[currentScope], scope)) return client;
    try {
      delete client[currentScope];
      await client.query({
        name: 'scope',
        text: `select set_config('app.tenant_id', $1, false), set_config('app.route_key', $2, false),
          set_config('TimeZone', 'UTC', false)`,
        values: [scope.tenantId, scope.routeKey],
      });
      client[currentScope] = scope;
      return client;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  /** Prisma ends the pool that it was given; `close` ends the shared connections. */
  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    if (!callback) return Promise.resolve();
    callback();
    return undefined;
  }

  async close(): Promise<void> {
    await this.#shared.end();
    // Node 20 attaches each `AsyncLocalStorage` that was ever entered to every promise until it is disabled.
    this.#scope.disable();
  }
}

/** The last statement of a transaction. */
const isEnd = (statement: unknown): boolean =>
  /^(commit|rollback)$/i.test(typeof statement === 'string' ? statement : (statement as { text: string }).text);

/**
 * Lends a transaction its connection. Prisma and direct reads use it in turn, because pg 9 rejects a statement during
 * another. Nothing runs on it after the end of the transaction, when it may serve another tenant.
 */
function lend(client: pg.PoolClient, lent: Lent): void {
  lent.connection = client;
  const { query, release } = client;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (...args: unknown[]): Promise<unknown> => {
    if (isEnd(args[0])) lent.connection = null;
    else if (!lent.connection) return Promise.reject(new Error('the transaction has ended'));
    const result = last.then(() => (query as (...args: unknown[]) => Promise<unknown>).apply(client, args));
    last = result.catch(() => undefined);
    return result;
  };
  client.query = inTurn as typeof query;
  client.release = (destroy) => {
    lent.connection = null;
    unwrap(client);
    release.call(client, destroy);
  };
}

/** Restores the connection's own `query`. */
const unwrap = (client: pg.PoolClient): void => void delete (client as Partial<pg.PoolClient>).query;

/**
 * Sets the scope until the end of the transaction, after which the connection serves another client. Unlike
 * `set_config`, `set local` takes no snapshot, so the transaction may still choose its isolation level.
 */
const setScopeSql = ({ tenantId, routeKey }: Scope): string =>
  `set local app.tenant_id = ${pg.escapeLiteral(tenantId)}; set local app.route_key = ${pg.escapeLiteral(routeKey)};
   set local timezone = 'UTC'`;

/**
 * Connections through a pooler in transaction mode, which gives each transaction another connection: a session setting
 * would reach the next tenant. So each transaction sets its scope, and each single query runs in a transaction.
 */
export class TransactionPool extends TenantPool {
  /** The first query on the connection starts a transaction, because Prisma takes connections only for transactions. */
  protected override async handOut(client: Connection, scope: Scope): Promise<pg.PoolClient> {
    unwrap(client);
    const query = client.query as (...args: unknown[]) => Promise<unknown>;
    let isFirst = true;
    const beginning = async (...args: unknown[]) => {
      const result = await query.apply(client, args);
      if (isFirst) await query.call(client, setScopeSql(scope));
      isFirst = false;
      return result;
    };
    client.query = beginning as typeof client.query;
    return client;
  }

  override queryWithin(scope: Scope, statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.within(scope, () => this.query(statement));
  }

  override async query(...args: unknown[]): Promise<never> {
    const client = await this.connect();
    try {
      await client.query('begin');
      const result = await (client.query as (...args: unknown[]) => Promise<never>)(...args);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      );
      throw error;
    }
  }
}
