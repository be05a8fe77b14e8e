import { Logger, parseCronItems, run, type TaskList } from 'graphile-worker';
import type { Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { registry, timetable } from './registry.ts';

const CONCURRENCY = 4;
const POLL_MS = 1000;

/** Starts the worker beside the doors (or alone); returns how to stop it after its running jobs are done. */
export async function startWorker(services: Services): Promise<() => Promise<void>> {
  const taskList: TaskList = {};
  for (const name of Object.keys(registry) as (keyof Jobs)[]) {
    const job = registry[name] as (services: Services, payload: unknown) => Promise<void>;
    taskList[name] = async (payload) => job(services, payload);
  }
  const runner = await run({
    connectionString: services.config.database.directUrl,
    taskList,
    parsedCronItems: parseCronItems(timetable),
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    noPreparedStatements: false,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') services.log.warn({ worker: level }, message);
    }),
  });
  return () => runner.stop();
}
