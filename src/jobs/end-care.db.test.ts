import { afterAll, beforeAll, expect, test } from 'vitest';
import { CANCEL_VISIT, type CareBench, withCare } from '#dev/testing/care.ts';
import { SANDBOX, withClinic } from '#dev/testing/clinic.ts';
import { MINUTE } from '#server/core/clock.ts';
import { startWorker } from './worker.ts';

/** The short test run is a minute behind the database's clock, so that delays between attempts are already over. */
const clock = { now: () => new Date(Date.now() - (process.env.PROVE ? 0 : MINUTE)) };

let care: CareBench;
let stopWorker: () => Promise<void>;
beforeAll(async () => {
  care = await withCare(await withClinic({ ...SANDBOX, overrides: { clock } }));
  stopWorker = await startWorker(care.clinic.services);
});
afterAll(async () => {
  await stopWorker?.();
  await care?.stop();
});

test('the worker ends care and archives the patient in spite of provider errors', async () => {
  const id = await care.patient();
  await Promise.all([care.book(id), care.book(id), care.subscribe(id)]);
  care.acuityFault('503', CANCEL_VISIT, 2);
  expect((await care.endCare(id)).status).toBe(202);
  await expect.poll(async () => (await care.read(id)).status, { timeout: 40_000, interval: 100 }).toBe('archived');
  expect(await care.liveThere(id)).toEqual([]);
  expect(await care.waiting(id)).toBeNull();
});
