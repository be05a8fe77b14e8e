import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Logger,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  type Worker,
  type WorkerEvents,
} from 'graphile-worker';
import type pg from 'pg';
import { type FailedTenants, sealAudit } from '#server/audit/index.ts';
import { WORKER_CONNECTIONS } from '#server/core/config.ts';
import type { Services } from '#server/core/context.ts';
import { BoundedPool } from '#server/core/database/bounded-pool.ts';
import { AT_PROVIDER, countDueJobs, type Jobs } from '#server/core/jobs.ts';
import { createAvailabilityRenewal, renewalIntervalMs } from '#server/scheduling/index.ts';
import { startHeartbeat } from './heartbeat.ts';
import { registry, schedule } from './registry.ts';
import { createSweep } from './release-abandoned.ts';

const CONCURRENCY = 4;
/** In addition to the heartbeat's connection. One of them listens for the library's own notifications. */
const POOL = WORKER_CONNECTIONS - 1;
/** The heartbeat finds due jobs; this interval is a fallback. */
const POLL_MS = 5_000;
const RESTART_DELAY_MS = 1_000;
const RESTART_TIMEOUT_MS = 60_000;
const POOL_CLOSE_MS = 1_000;
/**
 * A runner that ends this soon after its start would end again, unless it was cut off; `MAX_CUTS` limits consecutive
 * cuts.
 */
const TOO_SOON_MS = 10_000;
const MAX_CUTS = 8;
/** How often to look for unsealed audit entries: one step in an index that is nearly always empty. */
const SEAL_CHECK_MS = 1_000;
/** Without a database, or during a request to the scheduling provider, a loop ends later than a shutdown. */
const LOOP_STOP_MS = 1_000;

/**
 * Starts the worker, next to the server or alone. `onFailure` is called when it cannot continue: a worker that stands
 * still unnoticed is worse than a process that ends.
 * @returns a function that stops it after its running jobs
 */
export async function startWorker(
  services: Services,
  onFailure: (error: Error) => void = throwUncaught,
): Promise<() => Promise<void>> {
  const { log, config } = services;
  const workers = new Map<string, Worker>();
  /** Workers that may take jobs; the others are stopping. */
  const activeWorkers = new Set<Worker>();
  /**
   * Takes no job that calls the scheduling provider, so that codes and emails are still sent while the provider hangs.
   */
  let spare: Worker | null = null;
  /** The worker that requests a job now; null for the library's timer. */
  let requestingWorker: Worker | null = null;
  const jobOf = (id: string) => workers.get(id)?.getActiveJob()?.id;
  const sweep = createSweep({ log, workers: () => workers.keys(), jobOf });
  let ended = false;
  let runner: Runner | null = null;
  let replacement = Promise.resolve();
  let cuts = 0;
  const fail = (error: Error) => {
    if (ended) return;
    ended = true;
    onFailure(error);
  };

  async function onBeat(connection: pg.Client): Promise<void> {
    let due = await countDueJobs(connection, CONCURRENCY);
    for (const worker of activeWorkers) {
      if (due === 0 || worker.getActiveJob()) continue;
      requestingWorker = worker;
      if (worker.nudge()) due -= 1;
      requestingWorker = null;
    }
    await sweep(connection);
  }
  const url = config.database.directUrl;
  // Shared by successive runners: a replacement uses the connections that the previous one has released.
  const pool = new WorkerPool({ connectionString: url, max: POOL, application_name: 'carelane jobs' });
  pool.on('error', (error) => log.warn({ err: error.message }, 'the worker lost a connection'));
  /** The library's cron leaves the rejection of its query unhandled in addition to the reported one. */
  const ignoreCronRejection = (reason: unknown) => {
    if (!pool.failures.has(reason as Error)) throw reason;
  };
  /** A runner that ended unexpectedly may not have released its LISTEN connection. */
  const endPool = () => Promise.race([pool.end(), pause(POOL_CLOSE_MS, undefined, { ref: false })]);
  const heartbeat = startHeartbeat({ url, log, workers: () => workers.keys(), jobOf, onBeat, onEnd: fail });

  async function startRunner(): Promise<Runner> {
    const events: WorkerEvents = new EventEmitter();
    events.on('worker:create', ({ worker }) => {
      workers.set(worker.workerId, worker);
      activeWorkers.add(worker);
      spare = worker;
    });
    events.on('worker:release', ({ worker }) => activeWorkers.delete(worker));
    events.on('worker:stop', ({ worker }) => workers.delete(worker.workerId));
    // The worker requests its next job in the same tick.
    events.on('job:complete', ({ worker }) => {
      requestingWorker = worker;
    });
    events.on('job:failed', ({ job: { id, task_identifier, payload }, error }) => {
      const { tenantId } = payload as { tenantId?: string };
      log.error(
        { job: id, name: task_identifier, tenantId, err: (error as Error).message },
        'a job has failed for good',
      );
    });
    const newRunner = await run({
      pgPool: pool,
      taskList: tasksOf(services),
      parsedCronItems: parseCronItems(schedule),
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      // Called before each job is taken; no job is taken while other processes cannot see that this one lives.
      forbiddenFlags: () => {
        const flags = requestingWorker === null || requestingWorker === spare ? [AT_PROVIDER] : null;
        requestingWorker = null;
        return heartbeat.ready().then(() => flags);
      },
      events,
      noHandleSignals: true,
      noPreparedStatements: false,
      logger: new Logger(() => (level, message) => {
        if (level === 'error' || level === 'warning') log.warn({ worker: level }, message);
      }),
    });
    // A library worker ends when it cannot store its job's result, and the library does not replace it.
    events.on('worker:fatalError', () => {
      if (runner === newRunner) replacement = replace(newRunner).catch(fail);
    });
    const startedAt = performance.now();
    // The library's cron gives up when a tick meets a broken connection.
    const onRunnerEnd = (error = new Error('the job queue ended by itself')) => {
      if (runner !== newRunner) return;
      const isSoon = performance.now() - startedAt < TOO_SOON_MS;
      cuts = isSoon && isCutOff(error) ? cuts + 1 : 0;
      if (isSoon && (cuts === 0 || cuts > MAX_CUTS)) fail(error);
      else replacement = replace(newRunner).catch(fail);
    };
    newRunner.promise.then(() => onRunnerEnd(), onRunnerEnd);
    return newRunner;
  }

  async function replace(old: Runner): Promise<void> {
    const since = performance.now();
    runner = null;
    while (!ended && runner === null) {
      await pause(RESTART_DELAY_MS);
      runner = await startRunner().catch((error: Error) => {
        if (performance.now() - since > RESTART_TIMEOUT_MS) throw error;
        return null;
      });
    }
    await old.stop().catch(() => {}); // it has already ended
  }

  runner = await startRunner().catch(async (error) => {
    await heartbeat.close();
    await endPool();
    throw error;
  });
  const stopSealing = startSealing(services);
  const stopRenewing = startRenewing(services);
  process.on('unhandledRejection', ignoreCronRejection);
  return async () => {
    process.off('unhandledRejection', ignoreCronRejection);
    ended = true;
    await Promise.all([stopSealing(), stopRenewing()]);
    await replacement;
    const stopped = runner?.stop();
    heartbeat.release();
    await stopped;
    await heartbeat.close();
    await endPool();
  };
}

/** A background loop; `step` returns whether more work is waiting, so that no pause is needed. */
type Loop = { step: () => Promise<boolean>; pauseMs: number; failure: string; onEnd?: () => Promise<void> };

/** Repeats a step until the returned function is called. Consecutive failures are logged once, as `failure`. */
function startLoop({ log }: Services, { step, pauseMs, failure, onEnd }: Loop): () => Promise<void> {
  const stopping = new AbortController();
  let failed = false;
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await step();
        failed = false;
      } catch (error) {
        if (!failed) log.warn({ err: (error as Error).message }, failure);
        failed = true;
      }
      if (!hasMore) await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await Promise.race([loop.then(onEnd), pause(LOOP_STOP_MS, undefined, { ref: false })]);
  };
}

/**
 * Seals audit entries within about a second of their commit. Every process with a worker does, without waiting for
 * others: an interrupted transaction rolls back, and the next process finds its entries unsealed.
 */
function startSealing(services: Services): () => Promise<void> {
  const broken: FailedTenants = new Map();
  return startLoop(services, {
    step: async () => (await sealAudit(services, broken)) > 0,
    pauseMs: SEAL_CHECK_MS,
    failure: 'audit entries are sealed when it is possible again',
  });
}

/**
 * Refreshes requested availability before it is too old. Every process with a worker is ready, and one at a time does
 * it.
 */
function startRenewing(services: Services): () => Promise<void> {
  const renewal = createAvailabilityRenewal(services);
  return startLoop(services, {
    step: async () => {
      await renewal.renewDue();
      return false;
    },
    pauseMs: Math.min(1_000, renewalIntervalMs(services)),
    failure: 'free times are renewed when it is possible again',
    onEnd: () => renewal.stop(),
  });
}

function tasksOf(services: Services): TaskList {
  const tasks: TaskList = {};
  for (const name of Object.keys(registry) as (keyof Jobs)[]) {
    const job = registry[name] as (services: Services, payload: unknown) => Promise<void>;
    tasks[name] = async (payload) => job(services, payload);
  }
  return tasks;
}

/** Remembers the errors of `query`, which only the library's cron calls: its workers check connections out. */
class WorkerPool extends BoundedPool {
  readonly failures = new WeakSet<object>();

  override async query(...args: unknown[]): Promise<never> {
    try {
      return await (super.query as (...args: unknown[]) => Promise<never>).apply(this, args);
    } catch (error) {
      this.failures.add(error as Error);
      throw error;
    }
  }
}

/** Whether the connection was ended (class 08, or 57P01 to 57P03); Node and `pg` report that only in the message. */
function isCutOff(error: Error & { code?: unknown }): boolean {
  return (
    /^(08|57P0[123])/.test(String(error.code ?? '')) || /connection (was )?terminated|ECONN|EPIPE/i.test(error.message)
  );
}

/** An uncaught error ends the process. */
function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
