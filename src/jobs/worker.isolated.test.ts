import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import type { Services } from '#server/core/context.ts';
import { startWorker } from './worker.ts';

type FakeRunner = { ends(error?: Error): void; events: EventEmitter; pgPool: pg.Pool; isStopped: boolean };
const runners: FakeRunner[] = [];
let failingStarts = 0;

vi.mock('graphile-worker', async (original) => ({
  ...(await original<object>()),
  parseCronItems: () => [],
  run: async ({ events, pgPool }: { events: EventEmitter; pgPool: pg.Pool }) => {
    if (failingStarts > 0) {
      failingStarts -= 1;
      throw new Error('connection refused');
    }
    const one: FakeRunner = { ends() {}, events, pgPool, isStopped: false };
    const promise = new Promise<void>((resolve, reject) => {
      one.ends = (error) => (error ? reject(error) : resolve());
    });
    runners.push(one);
    const stop = async () => {
      one.isStopped = true;
    };
    return { promise, stop, events };
  },
}));
vi.mock('#server/core/database/bounded-pool.ts', () => ({
  BoundedPool: class {
    on() {}
    async end() {}
    async query() {
      throw cutOff();
    }
  },
}));
vi.mock('./heartbeat.ts', async (original) => ({
  ...(await original<object>()),
  startHeartbeat: () => ({ ready: async () => {}, release() {}, close: async () => {} }),
}));
vi.mock('./registry.ts', () => ({ registry: {}, schedule: [] }));
vi.mock('#server/audit/seal-audit.ts', () => ({ sealAudit: async () => 0 }));
vi.mock('#server/scheduling/availability/renew-availability.ts', () => ({
  createAvailabilityRenewal: () => ({ renewDue: async () => true, stop: async () => {} }),
  renewalIntervalMs: () => 1_000,
}));

const services = {
  log: { warn() {}, error() {} },
  config: { database: { directUrl: 'postgres://unused' } },
} as unknown as Services;

let stop: () => Promise<void> = async () => {};
afterEach(async () => {
  await stop();
  runners.length = 0;
  failingStarts = 0;
  vi.restoreAllMocks();
});

/** Advances the clock since the last start of a runner. */
const later = (ms: number) => {
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + ms);
};
const listeners = () => process.listeners('unhandledRejection');
const cutOff = () => new Error('Connection terminated');

test('replaces a runner that ends after a while, also if the first restart fails', async () => {
  const failed: Error[] = [];
  stop = await startWorker(services, (error) => failed.push(error));
  later(11_000);
  failingStarts = 1;
  runners[0]!.ends(cutOff());
  await vi.waitFor(() => expect(runners).toHaveLength(2), 5_000);
  await vi.waitFor(() => expect(runners[0]!.isStopped).toBe(true));
  // Events of a runner that was already replaced start no other.
  runners[0]!.events.emit('worker:fatalError');
  runners[1]!.events.emit('worker:fatalError');
  await vi.waitFor(() => expect(runners).toHaveLength(3), 5_000);
  expect(failed).toEqual([]);
});

test('reports a runner that ends at once, once, without a restart', async () => {
  const failed: Error[] = [];
  stop = await startWorker(services, (error) => failed.push(error));
  runners[0]!.ends();
  await vi.waitFor(() => expect(failed).toMatchObject([{ message: 'the job queue ended by itself' }]));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect([runners.length, failed.length]).toEqual([1, 1]);
});

test('restarts a runner that is cut off at once, up to a limit', { timeout: 60_000 }, async () => {
  const failed: Error[] = [];
  stop = await startWorker(services, (error) => failed.push(error));
  const cut = () => Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
  for (let n = 1; n <= 8; n += 1) {
    runners.at(-1)!.ends(cut());
    await vi.waitFor(() => expect(runners).toHaveLength(n + 1), 5_000);
  }
  expect(failed).toEqual([]);
  runners.at(-1)!.ends(cut());
  await vi.waitFor(() => expect(failed).toHaveLength(1));
});

test('ignores unhandled rejections of the library’s cron only while a worker runs', async () => {
  const before = listeners();
  stop = await startWorker(services);
  const [onUnhandled, ...more] = listeners().filter((one) => !before.includes(one));
  expect(more).toEqual([]);
  const handle = (reason: unknown) => () => onUnhandled!(reason, Promise.resolve());
  const ofCron = await runners[0]!.pgPool.query('select').catch((error: unknown) => error);
  expect(handle(ofCron)).not.toThrow();
  expect(handle(cutOff())).toThrow('Connection terminated');
  expect(handle('no error at all')).toThrow();
  await stop();
  stop = async () => {};
  expect(listeners()).toEqual(before);
});
