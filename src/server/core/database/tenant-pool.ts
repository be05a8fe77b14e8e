import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { BoundedPool } from './bounded-pool.ts';

/** Whose rows a connection may see: a tenant's, or those of `tenant_routes` with one exact key. Empty sees nothing. */
export type Scope = { tenantId: string; routeKey: string };

const told = Symbol('what the connection was last told');
export type Connection = pg.PoolClient & { [told]?: Scope };
type ConnectCallback = (
  error: Error | undefined,
  client?: pg.PoolClient,
  release?: (e?: Error | boolean) => void,
) => void;

/** What pg's pool keeps of its own, as far as it is looked at here. Where it is kept otherwise, nothing is preferred. */
type Insides = {
  _idle?: { client: Connection }[];
  _pendingQueue?: { [wanted]?: Scope }[];
  _pulseQueue?: () => void;
};
const wanted = Symbol('what the one who waits wants a connection for');

const isSame = (a: Scope | undefined, b: Scope): boolean => a?.tenantId === b.tenantId && a.routeKey === b.routeKey;

/**
 * The connections, of which the one is handed out that was told the same before, if it is free. Only a preference: what
 * a connection has been told is looked at again by whoever gets it.
 */
class SharedPool extends BoundedPool {
  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    const inside = this as unknown as Insides;
    const pulse = inside._pulseQueue;
    if (!pulse) return;
    inside._pulseQueue = () => {
      const scope = inside._pendingQueue?.[0]?.[wanted];
      // The last of the idle ones is taken.
      const at = scope && inside._idle ? inside._idle.findLastIndex(({ client }) => isSame(client[told], scope)) : -1;
      if (at >= 0) inside._idle!.push(...inside._idle!.splice(at, 1));
      pulse.call(this);
    };
  }

  checkOut(scope: Scope): Promise<Connection> {
    const queue = (this as unknown as Insides)._pendingQueue;
    const before = queue?.length ?? 0;
    const client = this.connect();
    if (queue && queue.length > before) queue[queue.length - 1]![wanted] = scope;
    return client;
  }
}

/**
 * A view of the shared connections, for Prisma: each that is handed out has been told whose rows the asking code may
 * see. The setting sticks to the connection, so a tenant that keeps using it pays nothing;
 * the shared pool itself is never handed out, so no query runs on a connection that was told something else.
 */
export class TenantPool extends pg.Pool {
  readonly #shared: SharedPool;
  readonly #scope = new AsyncLocalStorage<Scope>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ max: 1 });
    this.#shared = new SharedPool(config);
    this.#shared.on('error', (error, client) => this.emit('error', error, client));
  }

  /** Runs work in whose course connections are handed out for this scope, and no other. */
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

  /** Tells a connection whose rows it may see from now on; one that could not be told is not handed out. */
  protected async handOut(client: Connection, scope: Scope): Promise<pg.PoolClient> {
    if (isSame(client[told], scope)) return client;
    try {
      delete client[told];
      await client.query({
        name: 'scope',
        text: "select set_config('app.tenant_id', $1, false), set_config('app.route_key', $2, false)",
        values: [scope.tenantId, scope.routeKey],
      });
      client[told] = scope;
      return client;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  /** Prisma ends what it was given; the shared connections are ended by `close`. */
  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    if (!callback) return Promise.resolve();
    callback();
    return undefined;
  }

  async close(): Promise<void> {
    await this.#shared.end();
    // Node 20 hands every storage that was ever entered to every promise, until it is disabled.
    this.#scope.disable();
  }
}
