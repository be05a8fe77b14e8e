import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Services } from './context.ts';
import { newId } from './ids.ts';
import { AT_PROVIDER, dequeue, enqueue } from './jobs.ts';

const tenantId = newId();
const job = (appointmentId: string) => ({ tenantId, appointmentId });
let clinic: Clinic;
let services: Services;
let queue: pg.Client;

beforeAll(async () => {
  clinic = await withClinic();
  ({ services } = clinic);
  queue = new pg.Client({ connectionString: clinic.database.url });
  await queue.connect();
});
beforeEach(() => queue.query('delete from graphile_worker._private_jobs'));
afterAll(async () => {
  await queue.end();
  await clinic?.stop();
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
  const enqueueJob = (about: string) =>
    enqueue(services.database.system, 'resolve_appointment', job(about), { key: 'one' });
  await enqueueJob('first');
  await enqueueJob('second');
  expect(await rows()).toMatchObject([{ about: 'second' }]);
  await queue.query('update graphile_worker._private_jobs set attempts = max_attempts');
  await enqueueJob('third');
  expect(await rows()).toMatchObject([{ about: 'third', attempts: 0 }]);
  await queue.query("update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = 'worker-1'");
  await enqueueJob('fourth');
  expect(await rows()).toMatchObject([
    { about: 'third', key: null, attempts: 1, max_attempts: 25, locked_by: 'worker-1' },
    { about: 'fourth', key: 'one', locked_by: null },
  ]);
});

test('concurrent enqueues of one key never fail while workers take jobs, and the last one stays', async () => {
  const enqueueJob = (round: number) =>
    enqueue(services.database.system, 'resolve_appointment', job(`${round}`), { key: 'busy' });
  const take = () => services.database.system.$executeRaw`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where locked_at is null`;
  await Promise.all(Array.from({ length: 60 }, (_, round) => (round % 4 === 3 ? take() : enqueueJob(round))));
  await enqueueJob(60);
  expect((await rows()).filter((row) => row.key === 'busy')).toMatchObject([{ about: '60', locked_by: null }]);
});

test('dequeue removes a waiting job; a running one continues and retries if it fails', async () => {
  const enqueueJob = (key: string) => enqueue(services.database.system, 'resolve_appointment', job(key), { key });
  await enqueueJob('waits');
  await enqueueJob('runs');
  await queue.query(
    "update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = 'w' where key = 'runs'",
  );
  for (const key of ['waits', 'runs', 'never']) await dequeue(services.database.system, key);
  expect(await rows()).toMatchObject([{ about: 'runs', key: null, attempts: 1, max_attempts: 25, locked_by: 'w' }]);
});

test('enqueue sends no NOTIFY, which would serialize all commits', async () => {
  const channels: string[] = [];
  const listener = new pg.Client({ connectionString: clinic.database.url });
  await listener.connect();
  listener.on('notification', ({ channel }) => channels.push(channel));
  await listener.query('listen "jobs:insert"');
  await enqueue(services.database.system, 'resolve_appointment', job('quiet'));
  await listener.query("select pg_notify('jobs:insert', '')");
  expect(channels).toEqual(['jobs:insert']);
  await listener.end();
});

/** What `jobs.ts` uses, and every column that has no default: a new one would be missing from its jobs. */
const USED_COLUMNS = {
  _private_jobs: {
    id: 'bigint',
    task_id: 'integer',
    payload: 'json',
    run_at: 'timestamp with time zone',
    attempts: 'smallint',
    max_attempts: 'smallint',
    last_error: 'text',
    created_at: 'timestamp with time zone',
    updated_at: 'timestamp with time zone',
    key: 'text',
    locked_at: 'timestamp with time zone',
    locked_by: 'text',
    revision: 'integer',
    flags: 'jsonb',
    is_available: 'boolean',
  },
  _private_tasks: { id: 'integer', identifier: 'text' },
};
const REVIEW = 'graphile-worker has changed its private tables: review src/server/core/jobs.ts';

test.each(Object.entries(USED_COLUMNS))(
  'the library’s table %s has the columns that jobs.ts uses',
  async (name, used) => {
    const { rows } = await queue.query(
      `select column_name as name, data_type as type,
       is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER' as required
     from information_schema.columns where table_schema = 'graphile_worker' and table_name = $1`,
      [name],
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.type])), REVIEW).toMatchObject(used);
    const required = rows.filter((row) => row.required).map((row) => row.name);
    expect(Object.keys(used), REVIEW).toEqual(expect.arrayContaining(required));
    const triggers = `select tgname from pg_trigger where tgrelid = ('graphile_worker.' || $1)::regclass and not tgisinternal`;
    expect((await queue.query(triggers, [name])).rows, REVIEW).toEqual([]);
  },
);

test('enqueue writes the row that the library’s add_job writes', async () => {
  const payload = job('same');
  const [flags, runAt] = [[AT_PROVIDER], new Date('2040-01-02T03:04:05Z')];
  const add = (key: string | null, at: Date | null, mode: string) =>
    queue.query(
      `select graphile_worker.add_job('resolve_appointment', $1, job_key => $2, run_at => $3, max_attempts => 25,
         flags => $4, job_key_mode => $5)`,
      [payload, key, at, flags, mode],
    );
  /** Everything but the id, the key and the times that differ between two statements. */
  const written = async () => {
    const { rows } = await queue.query(
      `select to_jsonb(job) - 'id' - 'key' - 'created_at' - 'updated_at' - 'run_at' as rest,
         key is null as unkeyed, case when run_at > now() + interval '1 hour' then run_at end as later
       from graphile_worker._private_jobs job order by id`,
    );
    await queue.query('delete from graphile_worker._private_jobs');
    return rows;
  };
  const { system } = services.database;
  const variants = [
    { key: null, at: null },
    { key: null, at: runAt },
    { key: 'one', at: runAt },
  ];
  for (const { key, at } of variants) {
    const options = { ...(key && { key }), ...(at && { runAt: at }) };
    for (const turn of [1, 2]) {
      await add(key && 'library', at, 'replace');
      await enqueue(system, 'resolve_appointment', payload, options);
      // A failed attempt, after which a keyed job is replaced.
      if (turn === 1) await queue.query("update graphile_worker._private_jobs set attempts = 2, last_error = 'failed'");
    }
    const rows = await written();
    const [ours, theirs] = [0, 1].map((half) => rows.filter((_, index) => index % 2 === half));
    expect(ours, REVIEW).toEqual(theirs);
    expect(ours).toHaveLength(key ? 1 : 2);
  }
});
