import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { BoundedPool } from './bounded-pool.ts';

/**
 * The rows that a connection may see: a tenant's, or those of `tenant_routes` with one exact key. Empty strings show
 * none.
 */
export type Scope = { tenantId: string; routeKey: string };

const currentScope = Symbol('the scope that is set on the connection');
export type Connection = pg.PoolClient & { [currentScope]?: Scope };
type ConnectCallback = (
  error: Error | undefined,
  client?: pg.PoolClient,
  release?: (e?: Error | boolean) => void,
) => void;

/** Private members of pg's pool that this class reads. If a version of pg lacks them, no connection is preferred. */
type Insides = {
  _idle?: { client: Connection }[];
  _pendingQueue?: { [requestedScope]?: Scope }[];
  _pulseQueue?: () => void;
};
const requestedScope = Symbol('the scope that the waiting caller needs');

const isSame = (a: Scope | undefined, b: Scope): boolean => a?.tenantId === b.tenantId && a.routeKey === b.routeKey;

/**
 * Prefers an idle connection that already has the scope. This is only an optimization: `handOut` checks the scope of
 * each connection.
 */
class SharedPool extends BoundedPool {
  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    const inside = this as unknown as Insides;
    const pulse = inside._pulseQueue;
    if (!pulse) return;
    inside._pulseQueue = () => {
      const scope = inside._pendingQueue?.[0]?.[requestedScope];
      // pg takes the last idle connection.
      const idle = inside._idle ?? [];
      const at = scope ? idle.findLastIndex(({ client }) => isSame(client[currentScope], scope)) : -1;
      if (at >= 0) idle.push(...idle.splice(at, 1));
      pulse.call(this);
    };
  }

  checkOut(scope: Scope): Promise<Connection> {
    const queue = (this as unknown as Insides)._pendingQueue;
    const before = queue?.length ?? 0;
    const client = this.connect();
    const added = queue && queue.length > before ? queue.at(-1) : undefined;
    if (added) added[requestedScope] = scope;
    return client;
  }
}

/**
 * A view of the shared connections for Prisma: each connection has the caller's scope set before it is handed out. The
 * setting stays on the connection, so a tenant that reuses it pays nothing. The shared pool itself is never exposed, so
 * no query runs on a connection with another scope.
 */
export class TenantPool extends pg.Pool {
  readonly #shared: SharedPool;
  readonly #scope = new AsyncLocalStorage<Scope>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ max: 1 });
    this.#shared = new SharedPool(config);
    this.#shared.on('error', (error, client) => this.emit('error', error, client));
  }

  /** Runs work; connections handed out during it have this scope and no other. */
  within<Result>(scope: Partial<Scope>, work: () => Result): Result {
    return this.#scope.run({ tenantId: scope.tenantId ?? '', routeKey: scope.routeKey ?? '' }, work);
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
    const scope = this.#scope.getStore();
    if (!scope) throw new Error('a query was made outside of any scope');
    return this.handOut(await this.#shared.checkOut(scope), scope);
  }

  /** Sets the scope on the connection. A connection whose scope cannot be set is released and not handed out. */
  protected async handOut(client: Connection, scope: Scope): Promise<pg.PoolClient> {
    if (isSame(client[currentScope], scope)) return client;
    try {
      delete client[currentScope];
      await client.query({
        name: 'scope',
        text: "select set_config('app.tenant_id', $1, false), set_config('app.route_key', $2, false)",
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
