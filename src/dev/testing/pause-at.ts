import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const LOCK = 471_100;

/** Where a request is halted: at a statement on a table, or before any statement on one of the tables. */
export type PausePoint = { table: string; at: string; when?: string } | { tables: string[] };

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/**
 * Blocks every session that reaches a point in the database, so that its process can be killed exactly there. Uses
 * connections of the owner.
 */
export async function pauseAt(ownerUrl: string, point: PausePoint) {
  // pg_stat_activity is a snapshot inside a transaction, so a second connection watches.
  const [owner, watcher] = [await connect(ownerUrl), await connect(ownerUrl)];
  if ('table' in point)
    await owner.query(`
      create function halt_here() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$;
      create trigger halt_here ${point.at} on ${point.table} for each row ${point.when ? `when (${point.when})` : ''}
        execute function halt_here()`);
  await owner.query('begin');
  await owner.query(
    'table' in point
      ? `select pg_advisory_xact_lock(${LOCK})`
      : `lock table ${point.tables.join(', ')} in access exclusive mode`,
  );
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const countWaiting = async () => {
    const { rows } = await watcher.query<{ count: number }>(`select count(*)::int as count ${waiting}`);
    return rows[0]!.count;
  };
  async function release(): Promise<void> {
    await owner.query('commit');
    if ('table' in point) await owner.query(`drop trigger halt_here on ${point.table}; drop function halt_here()`);
    await Promise.all([owner.end(), watcher.end()]);
  }
  return {
    /** Waits until `count` sessions wait there. */
    async reached(count: number): Promise<void> {
      let seen = await countWaiting();
      for (let round = 0; round < 600 && seen < count; round += 1) {
        await pause(50);
        seen = await countWaiting();
      }
      if (seen < count) throw new Error(`${seen} of ${count} have come to ${JSON.stringify(point)}`);
    },
    /**
     * Terminates the waiting sessions, because PostgreSQL would continue them after their process died, then releases
     * the point.
     */
    async end(): Promise<void> {
      do {
        await watcher.query(`select pg_terminate_backend(pid) ${waiting}`);
        await pause(50);
      } while ((await countWaiting()) > 0);
      await release();
    },
    /** Releases the waiting sessions. */
    release,
  };
}
