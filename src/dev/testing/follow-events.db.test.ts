import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '#contract/scopes.ts';
import { revokeApplication, updateApplication } from '#server/identity/applications/router.ts';
import { followEvents } from '../../examples/follow-events.ts';
import { asAdmin } from './actors.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { SEED, seededRandom } from './seed.ts';

const PATIENTS = process.env.PROVE ? 60 : 24;
const MOST_FALLS = process.env.PROVE ? 12 : 4;
let clinic: Sandbox;
let theirs: pg.Client;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  // The consumer's own database; it knows the service only through the API.
  theirs = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await theirs.connect();
  await theirs.query('create schema theirs; set search_path = theirs; create table seen (id uuid, sequence bigint)');
});
afterAll(async () => {
  await theirs?.end();
  await clinic?.stop();
});

const reloadResources = async () => expect.unreachable('nothing is too old');

test('a consumer that commits the sequence with its own change sees each event once, despite failures', async () => {
  console.info(`follow events: SEED=${SEED}`);
  const chance = seededRandom();
  const token = await clinic.token(await clinic.application(clinic.ctx));
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
        reloadResources,
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

describe('a long poll whose access ends while it waits returns no later events:', () => {
  const without = SCOPES.filter((scope) => scope !== 'patients:read' && scope !== 'admin');
  const admin = () => asAdmin(clinic.services, { id: clinic.ctx.tenantId });
  test.each([
    ['revoked', (id: string) => revokeApplication(admin(), { id }), 401, 'invalid_token'],
    ['with fewer rights', (id: string) => updateApplication(admin(), { id, scopes: without }), 403, 'forbidden'],
  ])('an application that is %s', async (_, end, status, code) => {
    const application = await clinic.application(clinic.ctx);
    const other = await clinic.token(await clinic.application(clinic.ctx));
    const token = await clinic.token(application);
    const { headers } = await clinic.rest.call({ method: 'GET', path: '/events?size=1', token });
    const path = `/events?event_type=patient&after_sequence=${headers['newest-sequence']}&wait=20`;
    const waiting = clinic.rest.call({ method: 'GET', path, token });
    await pause(300);
    await end(application.clientId);
    await clinic.rest.call({ method: 'POST', path: '/patients', token: other, body: { first_name: 'Ada' } });
    const response = await waiting;
    expect([response.status, response.body.errors?.[0].code]).toEqual([status, code]);
  });
});

test('a consumer that was away too long resyncs once, and then gets the oldest stored event', async () => {
  const { ctx: tenant, database, rest, url } = clinic;
  const token = await clinic.token(await clinic.application(tenant));
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const createPatient = async (first_name: string) =>
    (await rest.call({ method: 'POST', path: '/patients', token, body: { first_name } })).body.id;
  const missed = await createPatient('Ada');
  const numbers = () => owner.query('select 1 from event_numbers where object_id = $1', [missed]);
  await expect.poll(async () => (await numbers()).rowCount, { timeout: 10_000 }).toBe(1);
  // Simulates a purged event whose number still exists.
  await owner.query(`update event_numbers set event_created_at = 'epoch' where tenant_id = $1`, [tenant.tenantId]);
  const held = [await createPatient('Ben'), await createPatient('Cy')];

  const over = new AbortController();
  const lines: string[] = [];
  const consumer = followEvents(
    theirs,
    'late',
    { baseUrl: `${url}/api/v1`, token: async () => token, filter: { event_type: 'patient' }, signal: over.signal },
    async ({ patient_id }) => void lines.push(patient_id!),
    async () => void lines.push('resync'),
  );
  await expect
    .poll(() => lines, { timeout: 30_000 })
    .toEqual(['resync', ...held])
    .finally(() => over.abort());
  await consumer.catch(() => {});
  await owner.end();
});
