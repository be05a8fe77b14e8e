import pg from 'pg';

/** What pg's pool keeps of its own, as far as it is changed here. */
type Insides = {
  _clients: unknown[];
  _isFull?: () => boolean;
  _remove?: (client: pg.PoolClient, callback?: () => void) => void;
  _pulseQueue(): void;
};

/**
 * A pool that never has more connections than its `max`: one that is being closed counts until it is, whereas pg's own
 * begins the next at once, and for a moment there is one too many.
 */
export class BoundedPool extends pg.Pool {
  constructor(config: pg.PoolConfig & { max: number }) {
    super(config);
    // pg's own listens only while nobody has the connection: one that is cut between two queries would end the process.
    // Whoever has it learns by the next query.
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
