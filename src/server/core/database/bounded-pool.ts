import pg from 'pg';

/** Private members of pg's pool, used only here. `tenant-pool.db.test.ts` fails when a version of pg changes them. */
type Internals = {
  _clients: unknown[];
  _idle: { client: pg.PoolClient }[];
  _pendingQueue: object[];
  _isFull(): boolean;
  _remove(client: pg.PoolClient, callback?: () => void): void;
  _pulseQueue(): void;
};
const LISTS = ['_clients', '_idle', '_pendingQueue'] as const;
const METHODS = ['_isFull', '_remove', '_pulseQueue'] as const;

/** @throws when this version of pg has another pool. */
export function internalsOf(pool: pg.Pool): Internals {
  const internals = pool as unknown as Internals;
  const missing = [
    ...LISTS.filter((name) => !Array.isArray(internals[name])),
    ...METHODS.filter((name) => typeof internals[name] !== 'function'),
  ];
  if (missing.length > 0) throw new Error(`this version of pg has no ${missing.join(', ')} in its pool`);
  return internals;
}

type IsPreferred = (client: pg.PoolClient) => boolean;

/**
 * A pool that never has more than `max` connections. A connection that is closing counts until it is closed; pg's own
 * pool opens the next one at once and briefly exceeds the limit.
 */
export class BoundedPool extends pg.Pool {
  readonly #preferences = new WeakMap<object, IsPreferred>();

  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    // pg handles errors only of idle connections: one that is cut between two queries would end the process. The owner
    // of the connection gets the error from its next query.
    this.on('connect', (client) => void client.on('error', () => {}));
    const internals = internalsOf(this);
    const { _remove: remove, _pulseQueue: pulse } = internals;
    let closing = 0;
    internals._isFull = () => internals._clients.length + closing >= config.max;
    internals._remove = (client, callback) => {
      closing += 1;
      remove.call(this, client, () => {
        closing -= 1;
        callback?.();
        if (!callback) internals._pulseQueue();
      });
    };
    internals._pulseQueue = () => {
      const [next] = internals._pendingQueue;
      const isPreferred = next && this.#preferences.get(next);
      // pg takes the last idle connection.
      const idle = internals._idle;
      const at = isPreferred ? idle.findLastIndex(({ client }) => isPreferred(client)) : -1;
      if (at >= 0) idle.push(...idle.splice(at, 1));
      pulse.call(this);
    };
  }

  /** Like `connect`, but takes a preferred connection if one is idle. */
  connectPreferring(isPreferred: IsPreferred): Promise<pg.PoolClient> {
    const queue = internalsOf(this)._pendingQueue;
    const before = queue.length;
    const client = this.connect();
    const added = queue.length > before ? queue.at(-1) : undefined;
    if (added) this.#preferences.set(added, isPreferred);
    return client;
  }
}
