import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemContext } from '#server/core/context.ts';
import { BoundedPool } from '#server/core/database/bounded-pool.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startFakeTwilio } from './fake-twilio.ts';
import { requestToken } from './rest-client.ts';
import { testServices, testSettings } from './services.ts';
import { serviceProgram } from './start-service-process.ts';

/** The long form adds load and terminated connections; the short form only tests the pool's counting. */
const LONG = Boolean(process.env.PROVE);
const CONNECTIONS = 10;
const OF_THE_WORKER = 6;
const CALLERS = 32;
const REQUESTS_A_CALLER = 5;
const CUT_EACH_MS = 700;

let database: TestDatabase;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let phone: Awaited<ReturnType<typeof startFakeTwilio>>;
beforeAll(async () => {
  [database, program, phone] = await Promise.all([createTestDatabase(), serviceProgram(), startFakeTwilio()]);
});
afterAll(async () => {
  await program.stop();
  await phone.stop();
  await database.drop();
});

/** The tests' own connections have their own application name, so that they are not counted. */
const named = (name: string) => `${database.url}?application_name=${name}`;

test.runIf(LONG)(
  'a process with its worker never opens more connections under load than configured',
  {
    timeout: 120_000,
  },
  async () => {
    const env = { DATABASE_CONNECTIONS: `${CONNECTIONS}`, PORT: '0', LOG_LEVEL: 'error', ...phone.settings };
    const settings = testSettings(database, env);
    const services = testServices(database, { ...settings, DATABASE_URL: named('test') });
    const { id } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
    const ctx = systemContext(services, id, 'test');
    const input = { name: 'Server', scopes: ['patients:read' as const, 'patients:write' as const] };
    const { application, client_secret } = await createApplication(ctx, input);
    const observer = new pg.Client({ connectionString: named('test') });
    await observer.connect();

    const process = await program.start(settings);
    const token = await requestToken(process.url, { clientId: application.client_id, clientSecret: client_secret });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

    const statuses = new Map<number, number>();
    const load = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = 0; n < REQUESTS_A_CALLER; n += 1) {
        const body = JSON.stringify({ first_name: 'Maple', last_name: `Number ${caller}-${n}` });
        const init = n % 2 ? { headers } : { method: 'POST', headers, body };
        const { status } = await fetch(`${process.url}/api/v1/patients`, init);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    let loading = true;
    const loaded = Promise.all(load).finally(() => {
      loading = false;
    });
    phone.takes(() => 30);
    const texting = (async () => {
      for (; loading; await pause(10)) await phone.send(ctx);
    })();
    // A terminated connection is replaced, which must not exceed the limit either.
    const cutting = (async () => {
      for (await pause(CUT_EACH_MS); loading; await pause(CUT_EACH_MS))
        await observer.query(`select pg_terminate_backend(pid) from (
        select distinct on (application_name) pid from pg_stat_activity
        where datname = current_database() and application_name <> 'test'
        order by application_name, random()) as one`);
    })();
    const most: Record<string, number> = {};
    while (loading) {
      const { rows } = await observer.query<{ name: string; count: number }>(
        `select application_name as name, count(*)::int from pg_stat_activity
       where datname = current_database() and application_name <> 'test' and backend_type = 'client backend' group by 1`,
      );
      const seen = { ...Object.fromEntries(rows.map(({ name, count }) => [name, count])), all: 0 };
      seen.all = rows.reduce((sum, { count }) => sum + count, 0);
      for (const [name, count] of Object.entries(seen)) most[name] = Math.max(most[name] ?? 0, count);
      await pause(5);
    }
    await Promise.all([loaded, texting, cutting]);
    console.info('most at once', most, 'answers', Object.fromEntries(statuses));

    expect(Object.keys(most).sort()).toEqual(['all', 'carelane', 'carelane jobs']);
    expect(most.carelane).toBeGreaterThan(1);
    expect(most.carelane).toBeLessThanOrEqual(CONNECTIONS - OF_THE_WORKER);
    expect(most['carelane jobs']).toBeGreaterThan(OF_THE_WORKER / 2);
    expect(most['carelane jobs']).toBeLessThanOrEqual(OF_THE_WORKER);
    expect(most.all).toBeLessThanOrEqual(CONNECTIONS);
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan((CALLERS * REQUESTS_A_CALLER) / 2);
    process.kill('SIGTERM');
    expect(await process.ended, process.log()).toBe(0);
    await observer.end();
    await services.close();
  },
);

test('a connection counts against the limit until its socket is closed', async () => {
  const seen: string[] = [];
  class Watched extends pg.Client {
    override connect(...args: unknown[]): never {
      seen.push('opening');
      const opened = super.connect(...(args as [])) as never;
      // Runs before pg's own close listener.
      const { stream } = this.connection as unknown as { stream: Socket };
      stream.prependOnceListener('close', () => seen.push('closed'));
      return opened;
    }
  }
  const pool = new BoundedPool({ connectionString: named('test'), max: 1, Client: Watched });
  for (let turn = 0; turn < 4; turn += 1) {
    const client = await pool.connect();
    // The next caller finds no idle client and one free place.
    client.release(true);
  }
  await pool.end();
  expect(seen.join(' ')).toMatch(/^opening( closed opening){3}/);
});
