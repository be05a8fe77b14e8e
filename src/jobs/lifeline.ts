import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '#server/core/log.ts';

/** How often the worker looks for what is due: what a code or a mail waits on average is half of it. */
const BEAT_MS = 100;
const BEAT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 2_000;
const GRACE_MS = 1_000;
const CLOSE_MS = 1_000;
/**
 * With a job at hand and without the database for so long, this process ends rather than go on: no other may take the
 * job to be abandoned before (`free-abandoned.ts`). Idle, it may wait longer.
 */
const LEASE_MS = 10_000;
const PATIENCE_MS = 60_000;

/** The server learns within eight seconds that a machine is gone; nothing else may end or hold up the session. */
const SESSION = `
  set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2;
  set tcp_user_timeout = 8000; set idle_session_timeout = 0; set lock_timeout = '3s'`;

/** Takes away the note that the worker is gone (`free-abandoned.ts`), now that it has its lock again. */
const UNMARK = `
  update graphile_worker._private_jobs set flags = flags - 'abandoned'
  where locked_by = any($1::text[]) and flags ? 'abandoned'`;

/** The advisory lock by which a worker is known to live; `expression` gives its id. */
export const lockOf = (expression: string): string => `hashtextextended('carelane worker ' || ${expression}, 0)`;

type Line = {
  url: string;
  log: Logger;
  /** The workers of this process. */
  workers: () => Iterable<string>;
  /** What one of them is at, by the job's id; undefined when it is idle. */
  jobOf: (workerId: string) => string | undefined;
  /** Run on the line at every beat. */
  onBeat: (line: pg.Client) => Promise<void>;
  /** Nothing more can be done here. */
  onEnd: (error: Error) => void;
};

export type Lifeline = {
  /** Resolves when every worker of this process is known to live; rejects once the line is let go. */
  whole(): Promise<void>;
  /** Jobs are no longer taken; those that run keep their line. */
  letGo(): void;
  close(): Promise<void>;
};

/**
 * The connection by which others know that the workers of this process live: it holds a session-level advisory lock for
 * each, which PostgreSQL drops when the process dies, however it dies, and which a process that is only slow or stopped
 * keeps. It needs a connection of its own to PostgreSQL itself: behind a pooler in transaction mode there are no sessions.
 */
export function startLifeline({ url, log, workers, jobOf, onBeat, onEnd }: Line): Lifeline {
  const stopping = new AbortController();
  const waiting: (() => void)[] = [];
  const locked = new Set<string>();
  let client: pg.Client | null = null;
  let heardAt = performance.now();
  let open = true;

  const isWhole = () => client !== null && [...workers()].every((id) => locked.has(id));

  /** The one before, of which PostgreSQL may not hear any more. */
  let leaving: Promise<unknown> | undefined;
  const leave = (left: pg.Client) => {
    leaving = Promise.race([left.end().catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);
  };

  async function connect(): Promise<pg.Client> {
    await leaving;
    const made = new pg.Client({
      connectionString: url,
      application_name: 'carelane jobs',
      keepAlive: true,
    });
    made.on('error', () => {}); // the next query says so too
    try {
      await within(CONNECT_TIMEOUT_MS, made.connect());
      await within(CONNECT_TIMEOUT_MS, made.query(SESSION));
      return made;
    } catch (error) {
      leave(made);
      throw error;
    }
  }

  async function lock(line: pg.Client): Promise<void> {
    const wanted = [...workers()];
    for (const id of wanted.filter((one) => !locked.has(one))) {
      await line.query(`select pg_advisory_lock(${lockOf('$1::text')})`, [id]);
      locked.add(id);
    }
    for (const id of [...locked].filter((one) => !wanted.includes(one))) {
      await line.query(`select pg_advisory_unlock(${lockOf('$1::text')})`, [id]);
      locked.delete(id);
    }
  }

  /** Throws when a job that runs here was given to another while the line was broken. */
  async function assertOurs(line: pg.Client): Promise<void> {
    const atWork = [...workers()].filter((id) => jobOf(id) !== undefined);
    const { rows } = await line.query(
      `select id from unnest($1::bigint[], $2::text[]) as ours (id, worker)
       join graphile_worker._private_jobs using (id) where locked_by is distinct from worker`,
      [atWork.map(jobOf), atWork],
    );
    await line.query(UNMARK, [[...workers()]]);
    if (rows.length > 0) throw new Forsaken(`job ${rows[0].id} was given to another while this process was cut off`);
  }

  function drop(): void {
    if (client) leave(client);
    client = null;
    locked.clear();
  }

  async function beat(): Promise<void> {
    const isNew = client === null;
    const line = client ?? (await connect());
    client = line;
    const tend = async () => {
      await lock(line);
      if (isNew) await assertOurs(line);
      heardAt = performance.now();
      for (const resolve of waiting.splice(0)) resolve();
      await onBeat(line);
    };
    await within(BEAT_TIMEOUT_MS, tend());
  }

  function isHopeless(): boolean {
    const silence = performance.now() - heardAt;
    const busy = [...workers()].some((id) => jobOf(id) !== undefined);
    return silence > (busy ? LEASE_MS : PATIENCE_MS);
  }

  const beating = (async () => {
    while (!stopping.signal.aborted) {
      // Whoever was slow for long may find its line cut, and tries anew before it is judged.
      const isRetry = client === null;
      try {
        await beat();
      } catch (error) {
        drop();
        if (error instanceof Forsaken || (isRetry && isHopeless())) return onEnd(error as Error);
        log.warn({ err: (error as Error).message }, 'the worker lost its connection and tries again');
      }
      await pause(BEAT_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    async whole() {
      while (open && !isWhole())
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      if (!open) throw new Error('the worker is stopping');
    },
    letGo() {
      open = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    async close() {
      stopping.abort();
      await beating;
      drop();
      await leaving;
    },
  };
}

class Forsaken extends Error {}

/** What has arrived in a process that was held up for long is read before time is called. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const tooLong = pause(ms, undefined, over)
    .then(() => pause(GRACE_MS, undefined, over))
    .then(() => Promise.reject(new Error(`PostgreSQL did not answer within ${ms} ms`)));
  tooLong.catch(() => {});
  return Promise.race([work, tooLong]).finally(() => over.abort());
}
