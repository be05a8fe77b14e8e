import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followEvents } from '../examples/follow-events.ts';
import { type Clinic, startClinic } from './clinic.ts';
import { random } from './invariants/stripe-truth.ts';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const PATIENTS = 60;
const MOST_FALLS = 12;
let clinic: Clinic;
let theirs: pg.Client;
beforeAll(async () => {
  clinic = await startClinic();
  // What the consumer writes is its own: it knows the API alone.
  theirs = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await theirs.connect();
  await theirs.query('create schema theirs; set search_path = theirs; create table seen (id uuid, sequence bigint)');
});
afterAll(async () => {
  await theirs?.end();
  await clinic?.stop();
});

test('a consumer that keeps the sequence with its own change has each event once, though it fails in the middle', async () => {
  console.info(`follow events: TEST_SEED=${SEED}`);
  const chance = random(SEED);
  const token = await clinic.token(await clinic.application(clinic.tenant));
  const over = new AbortController();
  let falls = 0;
  const consumer = (async () => {
    while (!over.signal.aborted)
      await followEvents(
        theirs,
        'main',
        {
          baseUrl: `${clinic.url}/api/v1`,
          token: async () => token,
          filter: { event_type: 'patient' },
          signal: over.signal,
        },
        async ({ id, sequence }) => {
          await theirs.query('insert into seen values ($1, $2)', [id, sequence]);
          if (falls < MOST_FALLS && chance() < 0.15) throw new Error('out of memory');
        },
      ).catch(() => {
        falls += 1;
      });
  })();
  for (let n = 0; n < PATIENTS; n += 1)
    await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: `Ada ${n}` } });
  const watcher = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await watcher.connect();
  const count = async () => Number((await watcher.query('select count(*) from theirs.seen')).rows[0].count);
  await expect
    .poll(count, { timeout: 30_000 })
    .toBe(PATIENTS)
    .finally(() => over.abort());
  await consumer;
  const { rows } = await watcher.query(
    `select count(distinct s.id)::int as seen, bool_and(e.id is not null) as real
     from theirs.seen s left join events e on e.id = s.id and e.event_topic = 'created'`,
  );
  await watcher.end();
  expect(rows).toEqual([{ seen: PATIENTS, real: true }]);
  expect(falls).toBeGreaterThan(0);
});
