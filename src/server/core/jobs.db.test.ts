import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { testServices } from '#dev/testing/services.ts';
import type { Services } from './context.ts';
import { newId } from './ids.ts';
import { dequeue, enqueue } from './jobs.ts';

const tenantId = newId();
const job = (appointmentId: string) => ({ tenantId, appointmentId });
let database: TestDatabase;
let services: Services;
let queue: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  services = testServices(database);
  queue = new pg.Client({ connectionString: database.url });
  await queue.connect();
});
beforeEach(() => queue.query('delete from graphile_worker._private_jobs'));
afterAll(async () => {
  await queue.end();
  await services.close();
  await database.drop();
});

const rows = async () =>
  (
    await queue.query(`
      select payload->>'appointmentId' as about, task_identifier as name, j.key, j.attempts, j.max_attempts, j.locked_by
      from graphile_worker._private_jobs j join graphile_worker.jobs using (id) order by id`)
  ).rows;

test('enqueue adds the job only if its transaction commits', async () => {
  const { system } = services.database;
  const failed = system.$transaction(async (tx) => {
    await enqueue(tx, 'resolve_appointment', job('lost'));
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  await system.$transaction((tx) => enqueue(tx, 'resolve_appointment', job('kept'), { maxAttempts: 6 }));
  expect(await rows()).toMatchObject([{ about: 'kept', name: 'resolve_appointment', attempts: 0, max_attempts: 6 }]);
});

test('enqueue adds the first job of a kind before any worker has run', async () => {
  await queue.query('delete from graphile_worker._private_tasks');
  await enqueue(services.database.system, 'refresh_subscription', { tenantId, subscriptionId: 'sub_1' });
  expect(await rows()).toMatchObject([{ name: 'refresh_subscription' }]);
});

test('a key replaces a waiting or permanently failed job and leaves a running one alone', async () => {
  const ask = (about: string) => enqueue(services.database.system, 'resolve_appointment', job(about), { key: 'one' });
  await ask('first');
  await ask('second');
  expect(await rows()).toMatchObject([{ about: 'second' }]);
  await queue.query('update graphile_worker._private_jobs set attempts = max_attempts');
  await ask('third');
  expect(await rows()).toMatchObject([{ about: 'third', attempts: 0 }]);
  await queue.query("update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = 'worker-1'");
  await ask('fourth');
  expect(await rows()).toMatchObject([
    { about: 'third', key: null, attempts: 1, max_attempts: 25, locked_by: 'worker-1' },
    { about: 'fourth', key: 'one', locked_by: null },
  ]);
});

test('concurrent enqueues of one key never fail while workers take jobs, and the last one stays', async () => {
  const ask = (round: number) =>
    enqueue(services.database.system, 'resolve_appointment', job(`${round}`), { key: 'busy' });
  const take = () => services.database.system.$executeRaw`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where locked_at is null`;
  await Promise.all(Array.from({ length: 60 }, (_, round) => (round % 4 === 3 ? take() : ask(round))));
  await ask(60);
  expect((await rows()).filter((row) => row.key === 'busy')).toMatchObject([{ about: '60', locked_by: null }]);
});

test('dequeue removes a waiting job; a running one continues and retries if it fails', async () => {
  const ask = (key: string) => enqueue(services.database.system, 'resolve_appointment', job(key), { key });
  await ask('waits');
  await ask('runs');
  await queue.query(
    "update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = 'w' where key = 'runs'",
  );
  for (const key of ['waits', 'runs', 'never']) await dequeue(services.database.system, key);
  expect(await rows()).toMatchObject([{ about: 'runs', key: null, attempts: 1, max_attempts: 25, locked_by: 'w' }]);
});

test('enqueue sends no NOTIFY, which would serialize all commits', async () => {
  const heard: string[] = [];
  const listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  listener.on('notification', ({ channel }) => heard.push(channel));
  await listener.query('listen "jobs:insert"');
  await enqueue(services.database.system, 'resolve_appointment', job('quiet'));
  await listener.query("select pg_notify('jobs:insert', '')");
  expect(heard).toEqual(['jobs:insert']);
  await listener.end();
});
