import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { startFakeTwilio } from '#dev/testing/fake-twilio.ts';
import { enqueue } from '#server/core/jobs.ts';
import { startWorker } from './worker.ts';

const REFRESHES = 8;

let phone: Awaited<ReturnType<typeof startFakeTwilio>>;
let clinic: Clinic<'acuity'>;
let stopWorker = async () => {};
/** Calls that Acuity has not responded to yet. */
const hanging: (() => void)[] = [];
const realFetch = globalThis.fetch;
beforeAll(async () => {
  phone = await startFakeTwilio();
  clinic = await withClinic({ acuity: true, env: phone.settings });
  globalThis.fetch = async (input, init) => {
    if (/\/appointments\/\d+$/.test(String(input))) await new Promise<void>((resolve) => hanging.push(resolve));
    return realFetch(input, init);
  };
  stopWorker = await startWorker(clinic.services);
});
afterAll(async () => {
  globalThis.fetch = realFetch;
  for (const respond of hanging) respond();
  await stopWorker();
  await clinic?.stop();
  await phone?.stop();
});

it('sends a code while Acuity blocks more jobs than run at once, which complete after it responds', async () => {
  const { db, tenantId } = clinic.ctx;
  const countLeft = async () => {
    const [row] = await db.$queryRaw<{ count: number }[]>`
      select count(*)::int from graphile_worker._private_jobs job
      join graphile_worker._private_tasks task on task.id = task_id
      where task.identifier = 'refresh_appointment' and payload->>'tenantId' = ${tenantId}`;
    return row!.count;
  };
  for (let id = 1; id <= REFRESHES; id += 1)
    await db.$transaction(async (tx) => {
      const key = `look ${tenantId} ${id}`;
      const accountId = clinic.acuity.account.user_id;
      await enqueue(tx, 'refresh_appointment', { tenantId, accountId, providerAppointmentId: id }, { key });
      // Half of them in the format of an earlier release.
      if (id % 2 === 0)
        await tx.$executeRaw`update graphile_worker._private_jobs set flags = '{"acuity": true}' where key = ${key}`;
    });
  await expect.poll(() => hanging.length, { timeout: 10_000 }).toBe(3);
  const code = await phone.send(clinic.ctx);
  await expect.poll(() => phone.deliveries.get(code)?.done, { timeout: 10_000 }).toBe(1);
  expect(hanging).toHaveLength(3);
  await expect
    .poll(
      async () => {
        for (const respond of hanging.splice(0)) respond();
        return countLeft();
      },
      { timeout: 20_000 },
    )
    .toBe(0);
});
