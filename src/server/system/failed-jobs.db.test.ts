import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { type Context, contextFor, type Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { AT_PROVIDER, enqueue, INTERRUPTED_TOO_OFTEN, type Jobs } from '#server/core/jobs.ts';
import { createCallerFactory } from '#server/core/trpc.ts';
import { systemRouter } from './router.ts';

const UNEXPECTED =
  /^Something unexpected went wrong\. The operator of this service finds it in the log, under job \d+\.$/;
const createCaller = createCallerFactory(systemRouter);
let bench: SignInBench;
let services: Services;
let mine: Context;
let other: Context;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  services = bench.services;
  [mine, other] = [(await bench.tenant()).ctx, (await bench.tenant()).ctx];
});
beforeEach(() => services.database.system.$executeRaw`delete from graphile_worker._private_jobs`);
afterAll(() => bench?.stop());

/** Too late for the worker to run it. */
const runAt = new Date(Date.now() + 3_600_000);
const adminOf = ({ tenantId }: Context, userId = newId()) => {
  const ctx = contextFor(services, actorOfStaff({ role: 'admin', tenantId, userId }));
  return { ctx, caller: createCaller(ctx) };
};

/** Creates a job that failed permanently an hour ago. */
async function fail<Name extends keyof Jobs>(name: Name, payload: Jobs[Name], error: string): Promise<string> {
  await enqueue(services.database.system, name, payload, { maxAttempts: 3, runAt });
  const [row] = await services.database.system.$queryRaw<{ id: string }[]>`
    update graphile_worker._private_jobs set attempts = 3, last_error = ${error},
      run_at = now() - interval '1 hour' + exp(3) * interval '1 second'
    where attempts = 0 returning id::text`;
  return row!.id;
}

test('an admin sees the permanently failed jobs of the own tenant, without their payload', async () => {
  const { tenantId } = mine;
  const sealed = 'c2VjcmV0LXRoaW5n';
  await fail('send_message', { tenantId, sealed }, 'provider_error: Twilio refused a text message: 400, code 21610.');
  await fail('process_inbound_event', { tenantId, provider: 'stripe', id: 'evt_1' }, `password=${sealed}`);
  await fail('resolve_appointment', { tenantId, appointmentId: newId() }, INTERRUPTED_TOO_OFTEN);
  await fail('send_mail', { tenantId: other.tenantId, sealed }, 'of another clinic');
  await fail('forget_expired', {}, 'of no clinic');
  await enqueue(services.database.system, 'send_mail', { tenantId, sealed }, { runAt });

  const failed = await adminOf(mine).caller.failedJobs();
  expect(failed.total).toBe(3);
  expect(failed.jobs.map(({ what, why, attempts }) => [what, why, attempts]).reverse()).toEqual([
    ['Send an email or a text message', 'Twilio refused a text message: 400, code 21610.', 3],
    ['Apply a reported change from Stripe', expect.stringMatching(UNEXPECTED), 3],
    ['Find out the result of a booking or change', INTERRUPTED_TOO_OFTEN, 3],
  ]);
  expect(JSON.stringify(failed)).not.toContain(sealed);
  const ago = Date.now() - new Date(failed.jobs[0]!.failed_at).getTime();
  expect(Math.abs(ago - 3_600_000)).toBeLessThan(60_000);
  expect((await adminOf(other).caller.failedJobs()).jobs.map(({ what }) => what)).toEqual(['Send a link to pay']);
});

test('the last hundred failed jobs are listed, with the total count', async () => {
  await services.database.system.$executeRaw`
    insert into graphile_worker._private_jobs (task_id, payload, attempts, max_attempts)
    select id, ${JSON.stringify({ tenantId: mine.tenantId })}::json, 1, 1
    from graphile_worker._private_tasks, generate_series(1, 230) where identifier = 'send_mail'`;
  const failed = await adminOf(mine).caller.failedJobs();
  expect([failed.jobs.length, failed.total]).toEqual([100, 230]);
});

test('a retried job runs, and the request is audited', async () => {
  // Its object does not exist any more, so it succeeds.
  const payload = { tenantId: mine.tenantId, appointmentId: newId() };
  const id = await fail('resolve_appointment', payload, 'provider_unavailable: Acuity did not answer.');
  const userId = newId();
  const { caller } = adminOf(mine, userId);
  await caller.retryJob({ id });
  expect(await caller.failedJobs()).toEqual({ jobs: [], total: 0 });
  const entries = await mine.db.auditEntry.findMany({ where: { objectType: 'Job' } });
  expect(entries).toMatchObject([{ action: 'system.retry_job', objectId: id, actorType: 'Admin', actorId: userId }]);
  await expect(caller.retryJob({ id })).rejects.toMatchObject({ cause: { code: 'not_found' } });

  await bench.settled();
});

test('a retried job keeps the flag that it calls Acuity', async () => {
  const { system } = services.database;
  const flags = JSON.stringify({ [AT_PROVIDER]: true, interrupted: 2 });
  // No worker here runs this task.
  await system.$executeRaw`insert into graphile_worker._private_tasks (identifier) values ('of_no_worker')`;
  const [job] = await system.$queryRaw<{ id: string }[]>`
    insert into graphile_worker._private_jobs (task_id, payload, attempts, max_attempts, flags)
    select id, ${JSON.stringify({ tenantId: mine.tenantId })}::json, 1, 1, ${flags}::jsonb
    from graphile_worker._private_tasks where identifier = 'of_no_worker' returning id::text`;
  await adminOf(mine).caller.retryJob({ id: job!.id });
  const rows = await system.$queryRaw<object[]>`
    select flags from graphile_worker._private_jobs where id = ${job!.id}::bigint`;
  expect(rows).toEqual([{ flags: { [AT_PROVIDER]: true } }]);
});

test('other callers can neither list nor retry failed jobs', async () => {
  const id = await fail('send_mail', { tenantId: mine.tenantId, sealed: '' }, 'failed');
  const ownerless = await fail('forget_expired', {}, 'failed');
  const codes = (requests: Promise<unknown>[]) =>
    Promise.all(
      requests.map((request) =>
        request.then(
          () => 'let through',
          (error) => error.cause?.code,
        ),
      ),
    );
  for (const ctx of [
    asPractitioner(services, { id: mine.tenantId }),
    asPatient(services, { id: mine.tenantId }, newId()),
    asApplication(services, { id: mine.tenantId }, ['patients:read', 'patients:write']),
    contextFor(services, { kind: 'visitor', tenantId: mine.tenantId }),
  ]) {
    const system = createCaller(ctx);
    expect(await codes([system.failedJobs(), system.retryJob({ id })])).toEqual(['forbidden', 'forbidden']);
  }
  const system = adminOf(other).caller;
  expect(await codes([system.retryJob({ id }), system.retryJob({ id: ownerless })])).toEqual([
    'not_found',
    'not_found',
  ]);
  await expect(adminOf(mine).caller.retryJob({ id: ownerless })).rejects.toMatchObject({
    cause: { code: 'not_found' },
  });
  for (const wrong of ['0', '-1', '1e3', '1;', '', '99999999999999999999'])
    await expect(system.retryJob({ id: wrong })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect((await adminOf(mine).caller.failedJobs()).total).toBe(1);
});
