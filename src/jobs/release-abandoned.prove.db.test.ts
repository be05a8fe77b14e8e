import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { startFakeTwilio } from '#dev/testing/fake-twilio.ts';
import { serviceProgram } from '#dev/testing/start-service-process.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { createLog } from '#server/core/log.ts';
import { startWorker } from './worker.ts';

const WITHIN_MS = 30_000;
/** Longer than `ABANDONED_S`, after which a job without a live worker is free. */
const LONG_ENOUGH_MS = 20_000;

let program: Awaited<ReturnType<typeof serviceProgram>>;
beforeAll(async () => {
  program = await serviceProgram();
});
afterAll(() => program.stop());

/** A tenant whose text messages go to a slow SMS provider. */
async function startBench() {
  const phone = await startFakeTwilio();
  const env = {
    DATABASE_CONNECTIONS: '10',
    PORT: '0',
    LOG_LEVEL: 'warn',
    PROVIDER_TIMEOUT_MS: '60000',
    ...phone.settings,
  };
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const clinic = await withClinic({ env, overrides: { log } });
  const { ctx, services, settings } = clinic;
  const queue = new pg.Client({ connectionString: clinic.database.url });
  await queue.connect();
  const jobs = async () => (await queue.query('select * from graphile_worker._private_jobs order by id')).rows;
  return {
    ctx,
    services,
    phone,
    settings,
    queue,
    jobs,
    lines,
    until: async (holds: () => Promise<boolean> | boolean, within = WITHIN_MS) => {
      for (const since = Date.now(); !(await holds()); await pause(50))
        if (Date.now() - since > within) throw new Error(`did not come: ${JSON.stringify(await jobs())}`);
    },
    async stop() {
      await queue.end();
      await clinic.stop();
      await phone.stop();
    },
  };
}

describe.concurrent('a job', () => {
  test('of a stopped process stays with it, and runs elsewhere after SIGKILL', { timeout: 120_000 }, async () => {
    const { ctx, phone, settings, jobs, until, stop } = await startBench();
    // Longer than until the process is stopped, and shorter than the wait after that.
    phone.takes(() => 10_000);
    const first = await program.start(settings);
    const code = await phone.send(ctx);
    const killed = await phone.send(ctx);
    await until(() => phone.deliveries.size === 2);
    first.kill('SIGSTOP');
    const second = await program.start(settings);
    await pause(LONG_ENOUGH_MS);
    expect([...phone.deliveries.values()].map(({ begun }) => begun.length)).toEqual([1, 1]);
    expect((await jobs()).map(({ attempts }) => attempts)).toEqual([1, 1]);

    first.kill('SIGKILL');
    phone.takes(() => 0);
    await until(async () => (await jobs()).length === 0);
    for (const each of [code, killed]) expect(phone.deliveries.get(each)).toMatchObject({ atOnce: 0, done: 2 });
    second.kill('SIGKILL');
    await stop();
  });

  test('of a stopped process continues after SIGCONT and is done once', { timeout: 120_000 }, async () => {
    const { ctx, phone, settings, jobs, until, stop } = await startBench();
    phone.takes(() => 1000);
    const first = await program.start(settings);
    const code = await phone.send(ctx);
    await until(() => phone.deliveries.has(code));
    first.kill('SIGSTOP');
    const second = await program.start(settings);
    await pause(LONG_ENOUGH_MS);
    first.kill('SIGCONT');
    await until(async () => (await jobs()).length === 0);
    expect(phone.deliveries.get(code)).toMatchObject({ done: 1, atOnce: 0 });
    expect(phone.deliveries.get(code)!.begun).toHaveLength(1);
    for (const process of [first, second]) process.kill('SIGKILL');
    await stop();
  });

  test('of a process that is stopped and disconnected runs elsewhere, and the process ends', {
    timeout: 120_000,
  }, async () => {
    const { ctx, phone, settings, queue, until, stop } = await startBench();
    phone.takes(() => 100_000);
    const first = await program.start(settings);
    const code = await phone.send(ctx);
    await until(() => phone.deliveries.has(code));
    first.kill('SIGSTOP');
    await queue.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'carelane jobs'`);
    const second = await program.start(settings);
    await until(() => phone.deliveries.get(code)!.begun.length === 2);
    first.kill('SIGCONT');
    expect(await first.ended).toBe(1);
    expect(first.log()).toContain('was given to another');
    second.kill('SIGKILL');
    await stop();
  });

  test('whose worker never received it runs again', { timeout: 120_000 }, async () => {
    const { ctx, services, phone, queue, jobs, until, stop } = await startBench();
    const stopWorker = await startWorker(services);
    phone.takes(() => 6000);
    await phone.send(ctx);
    await until(() => phone.deliveries.size === 1);
    const [{ locked_by }] = await jobs();
    await until(async () => (await jobs()).length === 0);
    const later = new Date(Date.now() + 3_600_000);
    await enqueue(services.database.system, 'send_message', { tenantId: ctx.tenantId, sealed: '' }, { runAt: later });
    await queue.query(
      `update graphile_worker._private_jobs set run_at = now(), attempts = 1, locked_at = now(), locked_by = $1`,
      [locked_by],
    );
    // The payload is invalid: the failure shows that the job ran.
    await until(async () => (await jobs())[0]!.last_error !== null);
    await stopWorker();
    await stop();
  });

  test('is not lost in its last attempt, and fails after ten interruptions', { timeout: 120_000 }, async () => {
    const { ctx, services, phone, queue, jobs, until, lines, stop } = await startBench();
    const last = await phone.send(ctx);
    const poison = await phone.send(ctx);
    await queue.query(
      `update graphile_worker._private_jobs set attempts = max_attempts, locked_at = now(), locked_by = 'worker-gone'`,
    );
    const [, row] = await jobs();
    await queue.query(`update graphile_worker._private_jobs set flags = '{"interrupted": 9}' where id = $1`, [row.id]);
    const stopWorker = await startWorker(services);
    await until(() => phone.deliveries.get(last)?.done === 1);
    await until(async () => (await jobs()).length === 1);
    expect((await jobs())[0]).toMatchObject({ id: row.id, locked_by: null, attempts: row.max_attempts });
    expect(phone.deliveries.has(poison)).toBe(false);
    const failed = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a job has failed for good');
    expect(failed).toMatchObject([{ level: 50, job: row.id, name: 'send_message', tenantId: ctx.tenantId }]);
    await stopWorker();
    await stop();
  });

  test('that fails permanently is logged without its payload', { timeout: 120_000 }, async () => {
    const { services, until, lines, jobs, stop } = await startBench();
    const stopWorker = await startWorker(services);
    const payload = { tenantId: newId(), sealed: 'c2VjcmV0LXRoaW5n' };
    await enqueue(services.database.system, 'send_message', payload, { maxAttempts: 1 });
    const failure = () => lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'a job has failed for good');
    await until(() => failure() !== undefined);
    expect(failure()).toMatchObject({ level: 50, name: 'send_message', tenantId: payload.tenantId });
    expect(lines.join('')).not.toContain(payload.sealed);
    expect(await jobs()).toHaveLength(1);
    await stopWorker();
    await stop();
  });
});
