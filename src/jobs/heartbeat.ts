import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { listTakenJobs, lockOf, unmarkAbandonedJobs } from '#server/core/jobs.ts';
import type { Logger } from '#server/core/log.ts';

/** How often the worker looks for due jobs: a code or an email waits half of it on average. */
const BEAT_MS = 100;
const BEAT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 2_000;
const GRACE_MS = 1_000;
const CLOSE_MS = 1_000;
/**
 * A process with a running job and no database ends after this time; other processes treat the job as abandoned only
 * later (`release-abandoned.ts`). An idle process may wait longer.
 */
const LEASE_MS = 10_000;
const IDLE_LEASE_MS = 60_000;

/** The server detects a lost machine within eight seconds; no other timeout may end or block the session. */
const SESSION = `
  set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2;
  set tcp_user_timeout = 8000; set idle_session_timeout = 0; set lock_timeout = '3s'`;

type HeartbeatOptions = {
  url: string;
  log: Logger;
  /** The workers of this process. */
  workers: () => Iterable<string>;
  /** The id of the job that a worker runs; undefined when it is idle. */
  jobOf: (workerId: string) => string | undefined;
  /** Called on this connection at every heartbeat. */
  onBeat: (connection: pg.Client) => Promise<void>;
  /** Called when the worker cannot continue. */
  onEnd: (error: Error) => void;
};

type Heartbeat = {
  /** Resolves when all workers of this process hold their locks; rejects after `release`. */
  ready(): Promise<void>;
  /** Stops taking jobs; running jobs keep their connection. */
  release(): void;
  close(): Promise<void>;
};

/**
 * Holds the connection that proves this process's workers alive: a session-level advisory lock for each, which
 * PostgreSQL releases when the process dies in any way, and which a slow or stopped process keeps. It must reach
 * PostgreSQL directly: a pooler in transaction mode has no sessions.
 */
export function startHeartbeat({ url, log, workers, jobOf, onBeat, onEnd }: HeartbeatOptions): Heartbeat {
  const stopping = new AbortController();
  const waiters: (() => void)[] = [];
  const locked = new Set<string>();
  let client: pg.Client | null = null;
  let lastBeatAt = performance.now();
  let open = true;

  const holdsAllLocks = () => client !== null && [...workers()].every((id) => locked.has(id));

  /** The previous connection, whose end PostgreSQL may not have received. */
  let previousEnd: Promise<unknown> | undefined;
  const endConnection = (connection: pg.Client) => {
    previousEnd = Promise.race([connection.end().catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);
  };

  async function connect(): Promise<pg.Client> {
    await previousEnd;
    const connection = new pg.Client({
      connectionString: url,
      application_name: 'carelane jobs',
      keepAlive: true,
    });
    connection.on('error', () => {}); // the next query reports it too
    try {
      await withTimeout(CONNECT_TIMEOUT_MS, connection.connect());
      await withTimeout(CONNECT_TIMEOUT_MS, connection.query(SESSION));
      return connection;
    } catch (error) {
      endConnection(connection);
      throw error;
    }
  }

  async function lock(connection: pg.Client): Promise<void> {
    const expected = [...workers()];
    for (const id of expected.filter((one) => !locked.has(one))) {
      await connection.query(`select pg_advisory_lock(${lockOf('$1::text')})`, [id]);
      locked.add(id);
    }
    for (const id of [...locked].filter((one) => !expected.includes(one))) {
      await connection.query(`select pg_advisory_unlock(${lockOf('$1::text')})`, [id]);
      locked.delete(id);
    }
  }

  /** Throws when another worker got a job of this process while the connection was broken. */
  async function assertOwnJobs(connection: pg.Client): Promise<void> {
    const running = [...workers()].flatMap((worker) => {
      const id = jobOf(worker);
      return id === undefined ? [] : [{ id, worker }];
    });
    const [lostJob] = await listTakenJobs(connection, running);
    await unmarkAbandonedJobs(connection, [...workers()]);
    if (lostJob) throw new JobTakenOver(`job ${lostJob} was given to another while this process was cut off`);
  }

  function disconnect(): void {
    if (client) endConnection(client);
    client = null;
    locked.clear();
  }

  async function beat(): Promise<void> {
    const isNew = client === null;
    const connection = client ?? (await connect());
    client = connection;
    const beatOnce = async () => {
      await lock(connection);
      if (isNew) await assertOwnJobs(connection);
      lastBeatAt = performance.now();
      for (const resolve of waiters.splice(0)) resolve();
      await onBeat(connection);
    };
    await withTimeout(BEAT_TIMEOUT_MS, beatOnce());
  }

  function isLeaseOver(): boolean {
    const sinceLastBeatMs = performance.now() - lastBeatAt;
    const busy = [...workers()].some((id) => jobOf(id) !== undefined);
    return sinceLastBeatMs > (busy ? LEASE_MS : IDLE_LEASE_MS);
  }

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      // A process that was stalled may find its connection cut, so it retries once before it counts as failed.
      const isRetry = client === null;
      try {
        await beat();
      } catch (error) {
        disconnect();
        if (error instanceof JobTakenOver || (isRetry && isLeaseOver())) return onEnd(error as Error);
        log.warn({ err: (error as Error).message }, 'the worker lost its connection and tries again');
      }
      await pause(BEAT_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    async ready() {
      while (open && !holdsAllLocks())
        await new Promise<void>((resolve) => {
          waiters.push(resolve);
        });
      if (!open) throw new Error('the worker is stopping');
    },
    release() {
      open = false;
      for (const resolve of waiters.splice(0)) resolve();
    },
    async close() {
      stopping.abort();
      await loop;
      disconnect();
      await previousEnd;
    },
  };
}

class JobTakenOver extends Error {}

/** A stalled process reads the data that has already arrived before the timeout applies. */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timeout = pause(ms, undefined, over)
    .then(() => pause(GRACE_MS, undefined, over))
    .then(() => Promise.reject(new Error(`PostgreSQL did not respond within ${ms} ms`)));
  timeout.catch(() => {});
  return Promise.race([work, timeout]).finally(() => over.abort());
}
