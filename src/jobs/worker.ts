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
import { WORKER_CONNECTIONS } from '#server/core/config.ts';
import type { Services } from '#server/core/context.ts';
import { BoundedPool } from '#server/core/database/bounded-pool.ts';
import { AT_PROVIDER, type Jobs } from '#server/core/jobs.ts';
import { createSweep } from './free-abandoned.ts';
import { startLifeline } from './lifeline.ts';
import { registry, timetable } from './registry.ts';
import { startRenewing } from './start-renewing.ts';
import { startSealing } from './start-sealing.ts';

const CONCURRENCY = 4;
/** Beside the lifeline. One of them listens for the library's own notices. */
const POOL = WORKER_CONNECTIONS - 1;
/** The lifeline sees what is due; this is for what it might miss. */
const POLL_MS = 5_000;
const HIRE_AGAIN_MS = 1_000;
const HIRE_WITHIN_MS = 60_000;
const POOL_CLOSE_MS = 1_000;
/** Who ends so soon after being hired would end again, unless it was cut off; and whoever is cut off so often in a row, too. */
const TOO_SOON_MS = 10_000;
const MOST_CUTS = 8;

/** How many jobs are due, as far as there are hands for them. */
const DUE = {
  name: 'due',
  text: `select count(*)::int as due from (
    select from graphile_worker._private_jobs where is_available and run_at <= now() limit ${CONCURRENCY}) as due`,
};

/**
 * Starts the worker beside the doors (or alone); returns how to stop it after its running jobs are done. `onFailure` is
 * told when it can go on no more: a worker that stands still unnoticed is worse than a process that ends.
 */
export async function startWorker(
  services: Services,
  onFailure: (error: Error) => void = endLoudly,
): Promise<() => Promise<void>> {
  const { log, config } = services;
  const workers = new Map<string, Worker>();
  /** Those that may be called; others have been told to go. */
  const called = new Set<Worker>();
  /** Takes no job that calls the scheduling provider, so that codes and mails still leave while that hangs. */
  let spare: Worker | null = null;
  /** Which one asks for a job just now; null where the library's timer makes it. */
  let asking: Worker | null = null;
  const jobOf = (id: string) => workers.get(id)?.getActiveJob()?.id;
  const sweep = createSweep({ log, workers: () => workers.keys(), jobOf });
  let ended = false;
  let runner: Runner | null = null;
  let replacing = Promise.resolve();
  let cuts = 0;
  const fail = (error: Error) => {
    if (ended) return;
    ended = true;
    onFailure(error);
  };

  async function onBeat(line: pg.Client): Promise<void> {
    const { rows } = await line.query<{ due: number }>(DUE);
    let { due } = rows[0]!;
    for (const worker of called) {
      if (due === 0 || worker.getActiveJob()) continue;
      asking = worker;
      if (worker.nudge()) due -= 1;
      asking = null;
    }
    await sweep(line);
  }
  const url = config.database.directUrl;
  // Of whoever is hired: one who replaces another shares them with what is left of that.
  const pool = new BoundedPool({ connectionString: url, max: POOL, application_name: 'carelane jobs' });
  pool.on('error', (error) => log.warn({ err: error.message }, 'the worker lost a connection'));
  /** Who ended by itself may not have given back what it listened on. */
  const endPool = () => Promise.race([pool.end(), pause(POOL_CLOSE_MS, undefined, { ref: false })]);
  const lifeline = startLifeline({ url, log, workers: () => workers.keys(), jobOf, onBeat, onEnd: fail });

  async function hire(): Promise<Runner> {
    const events: WorkerEvents = new EventEmitter();
    events.on('worker:create', ({ worker }) => {
      workers.set(worker.workerId, worker);
      called.add(worker);
      spare = worker;
    });
    events.on('worker:release', ({ worker }) => called.delete(worker));
    events.on('worker:stop', ({ worker }) => workers.delete(worker.workerId));
    // It asks for the next one in the same tick.
    events.on('job:complete', ({ worker }) => {
      asking = worker;
    });
    events.on('job:failed', ({ job: { id, task_identifier, payload }, error }) => {
      const { tenantId } = payload as { tenantId?: string };
      log.error(
        { job: id, name: task_identifier, tenantId, err: (error as Error).message },
        'a job has failed for good',
      );
    });
    const hired = await run({
      pgPool: pool,
      taskList: tasksOf(services),
      parsedCronItems: parseCronItems(timetable),
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      // Asked before each job is taken: none is, while nobody could know that this process lives.
      forbiddenFlags: () => {
        const flags = asking === null || asking === spare ? [AT_PROVIDER] : null;
        asking = null;
        return lifeline.whole().then(() => flags);
      },
      events,
      noHandleSignals: true,
      noPreparedStatements: false,
      logger: new Logger(() => (level, message) => {
        if (level === 'error' || level === 'warning') log.warn({ worker: level }, message);
      }),
    });
    // A worker of the library's ends when it cannot write down how its job ended, and is not replaced.
    events.on('worker:fatalError', () => {
      if (runner === hired) replacing = replace(hired).catch(fail);
    });
    const hiredAt = performance.now();
    // The library's clock gives up when one of its ticks meets a broken connection.
    const onOwnEnd = (error = new Error('the job queue ended by itself')) => {
      if (runner !== hired) return;
      const isSoon = performance.now() - hiredAt < TOO_SOON_MS;
      cuts = isSoon && isCutOff(error) ? cuts + 1 : 0;
      if (isSoon && (cuts === 0 || cuts > MOST_CUTS)) fail(error);
      else replacing = replace(hired).catch(fail);
    };
    hired.promise.then(() => onOwnEnd(), onOwnEnd);
    return hired;
  }

  async function replace(old: Runner): Promise<void> {
    const since = performance.now();
    runner = null;
    while (!ended && runner === null) {
      await pause(HIRE_AGAIN_MS);
      runner = await hire().catch((error: Error) => {
        if (performance.now() - since > HIRE_WITHIN_MS) throw error;
        return null;
      });
    }
    await old.stop().catch(() => {}); // it has ended by itself
  }

  runner = await hire().catch(async (error) => {
    await lifeline.close();
    await endPool();
    throw error;
  });
  const stopSealing = startSealing(services);
  const stopRenewing = startRenewing(services);
  process.on('unhandledRejection', onStray);
  return async () => {
    process.off('unhandledRejection', onStray);
    ended = true;
    await Promise.all([stopSealing(), stopRenewing()]);
    await replacing;
    const stopped = runner?.stop();
    lifeline.letGo();
    await stopped;
    await lifeline.close();
    await endPool();
  };
}

function tasksOf(services: Services): TaskList {
  const tasks: TaskList = {};
  for (const name of Object.keys(registry) as (keyof Jobs)[]) {
    const job = registry[name] as (services: Services, payload: unknown) => Promise<void>;
    tasks[name] = async (payload) => job(services, payload);
  }
  return tasks;
}

/** The library leaves what its clock ended by unhandled, beside the promise by which it tells of it. All else ends the process. */
function onStray(reason: unknown): void {
  if (!(reason instanceof Error && reason.stack?.includes('graphile-worker'))) throw reason;
}

/** PostgreSQL or the way there ended the connection (class 08, or 57P01 to 57P03); Node and `pg` say it in words. */
function isCutOff(error: Error & { code?: unknown }): boolean {
  return (
    /^(08|57P0[123])/.test(String(error.code ?? '')) || /connection (was )?terminated|ECONN|EPIPE/i.test(error.message)
  );
}

/** An error that nobody catches ends the process. */
function endLoudly(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
