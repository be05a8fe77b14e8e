import pg from 'pg';

/** Private members of pg's pool that this class changes. */
type Insides = {
  _clients: unknown[];
  _isFull?: () => boolean;
  _remove?: (client: pg.PoolClient, callback?: () => void) => void;
  _pulseQueue(): void;
};

/**
 * A pool that never has more than `max` connections. A connection that is closing counts until it is closed; pg's own
 * pool opens the next one at once and briefly exceeds the limit.
 */
export class BoundedPool extends pg.Pool {
  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    // pg handles errors only of idle connections: one that is cut between two queries would end the process. The owner
    // of the connection gets the error from its next query.
    this.on('connect', (client) => void client.on('error', () => {}));
    const inside = this as unknown as Insides;
    const remove = inside._remove;
    if (!inside._isFull || !remove) throw new Error('this version of pg keeps its pool otherwise');
    let closing = 0;
    inside._isFull = () => inside._clients.length + closing >= config.max;
    inside._remove = (client, callback) => {
      closing += 1;
      remove.call(this, client, () => {
        closing -= 1;
        callback?.();
        if (!callback) inside._pulseQueue();
      });
    };
  }
}
