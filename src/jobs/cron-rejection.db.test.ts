import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { testServices } from '#dev/testing/services.ts';
import type { Services } from '#server/core/context.ts';
import { startWorker } from './worker.ts';

let database: TestDatabase;
let services: Services;

beforeAll(async () => {
  database = await createTestDatabase();
  services = testServices(database);
});
afterAll(async () => {
  await services?.close();
  await database?.drop();
});

test('a failed query of the library’s cron restarts the runner and ends no process', async () => {
  const unhandled: unknown[] = [];
  const failed: Error[] = [];
  const cut = new Error('Connection terminated unexpectedly');
  const query = pg.Pool.prototype.query as (...args: unknown[]) => Promise<unknown>;
  let isCut = false;
  vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(async function (this: pg.Pool, ...args: unknown[]) {
    if (isCut || !String(args[0]).includes('_private_known_crontabs')) return query.apply(this, args);
    isCut = true;
    throw cut;
  } as typeof pg.Pool.prototype.query);
  // Vitest's own listeners would count the rejection as an error of the test.
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const stop = await startWorker(services, (error) => failed.push(error));
  process.on('unhandledRejection', (reason) => unhandled.push(reason));
  onTestFinished(async () => {
    await stop();
    vi.restoreAllMocks();
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
  const scheduled = () =>
    services.database.system.$queryRaw<object[]>`select from graphile_worker._private_known_crontabs`;
  await expect.poll(async () => (await scheduled()).length, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(failed).toEqual([]);
  expect(unhandled, 'the library handles it: remove ignoreCronRejection in worker.ts').toEqual([cut]);
});
