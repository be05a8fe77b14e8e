import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeTwilio } from '#dev/testing/fake-twilio.ts';
import { startOwnPostgres } from '#dev/testing/own-postgres.ts';
import { seededRandom } from '#dev/testing/seed.ts';
import { testServices, testSettings } from '#dev/testing/services.ts';
import { serviceProgram } from '#dev/testing/start-service-process.ts';
import { systemContext } from '#server/core/context.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';

/** `PROVE=1` runs the long form. */
const LONG = process.env.PROVE === '1';
/** The longest time a process may continue a job that it may no longer hold. */
const LEASE_MS = 14_000;
const CUTS = LONG ? 60 : 8;

let program: Awaited<ReturnType<typeof serviceProgram>>;
let server: Awaited<ReturnType<typeof startOwnPostgres>>;
beforeAll(async () => {
  [program, server] = await Promise.all([serviceProgram(), startOwnPostgres()]);
});
afterAll(async () => {
  await program.stop();
  await server.stop();
});

async function startBench(env: Record<string, string> = {}) {
  const phone = await startFakeTwilio();
  const settings = testSettings(server, {
    DATABASE_CONNECTIONS: '10',
    PORT: '0',
    LOG_LEVEL: 'warn',
    PROVIDER_TIMEOUT_MS: '60000',
    ...phone.settings,
    ...env,
  });
  const services = testServices(server, { ...settings, LOG_LEVEL: 'silent' });
  const { id } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
  const ctx = systemContext(services, id, 'test');
  return {
    ctx,
    phone,
    settings,
    async emptied(within = 40_000) {
      const listJobs = () => server.query('select * from graphile_worker._private_jobs');
      for (const since = Date.now(); (await listJobs()).rows.length > 0; await pause(100))
        if (Date.now() - since > within) throw new Error(`stuck: ${JSON.stringify((await listJobs()).rows)}`);
    },
    async stop() {
      await services.close();
      await phone.stop();
    },
  };
}

test('a restart of PostgreSQL during jobs loses none, and the worker continues', {
  timeout: 120_000,
}, async () => {
  const { ctx, phone, settings, emptied, stop } = await startBench();
  phone.takes(() => 1500);
  const process = await program.start(settings);
  const codes: string[] = [];
  for (let n = 0; n < 8; n++) codes.push(await phone.send(ctx));
  while (phone.deliveries.size < 4) await pause(20);
  await server.down();
  await pause(3000); // the first four end during this, and their results cannot be stored
  await server.up();
  await emptied();
  for (const code of codes) expect(phone.deliveries.get(code)).toMatchObject({ atOnce: 0 });
  expect(codes.filter((code) => !phone.deliveries.get(code)?.done)).toEqual([]);

  phone.takes(() => 0);
  const next = await phone.send(ctx);
  await emptied(5_000);
  expect(phone.deliveries.get(next)?.done).toBe(1);
  process.kill('SIGTERM');
  expect(await process.ended).toBe(0);
  await stop();
});

test('repeated disconnects lose no job and run none twice at once', {
  timeout: 120_000,
}, async () => {
  const { ctx, phone, settings, emptied, stop } = await startBench();
  const random = seededRandom();
  phone.takes(() => random() * 400);
  const processes = await Promise.all([program.start(settings), program.start(settings)]);
  const codes: string[] = [];
  for (let cut = 0; cut < CUTS; cut++) {
    for (let n = 0; n < 4; n++) codes.push(await phone.send(ctx));
    await pause(500 + random() * 1000);
    await server.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'carelane' and application_name <> 'carelane'`);
  }
  await emptied().catch((error: Error) => {
    throw new Error([error.message, ...processes.map(({ log }) => log())].join('\n'));
  });
  const taken = codes.map((code) => phone.deliveries.get(code));
  expect(taken.filter((entry) => !entry?.done)).toEqual([]);
  expect(taken.filter((entry) => entry!.atOnce > 0)).toEqual([]);
  for (const process of processes) process.kill('SIGTERM');
  for (const { ended, log } of processes) expect(await ended, log()).toBe(0);
  await stop();
});

test('a process with a running job and no database ends before another can take the job', {
  timeout: 120_000,
}, async () => {
  const { ctx, phone, settings, stop } = await startBench();
  phone.takes(() => 100_000);
  const process = await program.start(settings);
  const code = await phone.send(ctx);
  while (!phone.deliveries.has(code)) await pause(20);
  const since = Date.now();
  await server.down();
  expect(await process.ended).toBe(1);
  expect(Date.now() - since).toBeLessThan(LEASE_MS);
  await server.up();
  await stop();
});
