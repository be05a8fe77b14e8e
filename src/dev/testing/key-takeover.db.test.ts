import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#server/core/ids.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { pauseAt } from './pause-at.ts';
import type { RestResponse } from './rest-client.ts';
import { readOffer } from './sample-targets.ts';
import { type Offer, takeSlot } from './samples/sample.ts';
import { seededRandom } from './seed.ts';
import { type HttpProcess, startHttpProcess } from './start-http-process.ts';

/** `PROVE=1` adds rounds of kills at random moments. */
const LONG = process.env.PROVE === '1';
const ROUNDS = 100;
const AT_ONCE = 5;

let clinic: Sandbox;
let token: string;
let offer: Offer;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  token = await clinic.token(await clinic.application(clinic.ctx));
  offer = await readOffer(clinic, token);
}, 120_000);
afterAll(() => clinic?.stop());

type Request = { path: string; key: string; body: Record<string, unknown> };
const makePatient = async (): Promise<string> =>
  (await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: 'Ada' } })).body.id;
const booking = async (time = takeSlot(offer)): Promise<Request> => ({
  path: '/appointments',
  key: newId(),
  body: { patient_id: await makePatient(), appointment_type_id: offer.typeId, ...time },
});
const subscription = async (): Promise<Request> => ({
  path: '/subscriptions',
  key: newId(),
  body: { patient_id: await makePatient(), price_ids: [offer.priceId] },
});

const sendTo = ({ url }: HttpProcess, { path, key, body }: Request): Promise<Response> =>
  fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Repeats the request after each `Retry-After`. */
async function sendUntilComplete({ path, key, body }: Request): Promise<RestResponse> {
  for (;;) {
    const response = await clinic.rest.call({
      method: 'POST',
      path,
      token,
      body,
      headers: { 'idempotency-key': key },
    });
    if (response.body?.errors?.[0]?.code !== 'idempotency_key_in_use') return response;
    await pause(Number(response.headers['retry-after']) * 1000);
  }
}

/** Counts matching requests; the fault leaves their responses intact. */
function countCalls(faults: Sandbox['acuity']['emulator']['world']['faults'], match: object): () => number {
  const most = 1_000;
  const { id } = faults.add({ match, kind: 'slow_drip', times: most, holdMs: 1 }) as { id: string };
  return () => most - (faults.list().find((fault) => fault.id === id)?.times ?? 0);
}

test('a process that is suspended before its Acuity call does not make it after another took over', async () => {
  const calls = countCalls(clinic.acuity.emulator.world.faults, { method: 'POST', path: '/api/v1/appointments' });
  const stopped = await startHttpProcess(clinic.settings);
  const request = await booking();
  const inTransaction = await pauseAt(clinic.database.ownerUrl, { table: 'appointments', at: 'after insert' });
  const late = sendTo(stopped, request);
  await inTransaction.reached(1);
  const beforeCall = await pauseAt(clinic.database.ownerUrl, { tables: ['integrations'] });
  await inTransaction.release();
  await beforeCall.reached(1);
  stopped.suspend();
  await beforeCall.release();
  expect(calls()).toBe(0);

  const booked = await sendUntilComplete(request);
  expect(booked.status).toBe(201);
  expect(calls()).toBe(1);

  stopped.resume();
  const overtaken = await late;
  expect(calls()).toBe(1);
  expect(overtaken.status).toBe(409);
  expect(overtaken.headers.get('retry-after')).toBe('1');
  expect(await overtaken.json()).toMatchObject({ errors: [{ code: 'idempotency_key_in_use' }] });
  expect((await sendUntilComplete(request)).body).toEqual(booked.body);
  await stopped.stop();
}, 60_000);

test.runIf(LONG)(
  `after ${ROUNDS} kills at random moments each request has a response within 15 s and is done once`,
  async () => {
    const chance = seededRandom();
    const { db } = clinic.ctx;
    const durations: number[] = [];
    async function round(): Promise<void> {
      const victim = await startHttpProcess(clinic.settings);
      const requests = [await booking(), await subscription()];
      const lost = requests.map((request) => sendTo(victim, request).catch(() => null));
      await pause(chance() * 250);
      await victim.kill();
      await Promise.all(lost);
      const killedAt = performance.now();
      await Promise.all(
        requests.map(async (request) => {
          const response = await sendUntilComplete(request);
          durations.push(performance.now() - killedAt);
          expect([request.path, response.status, response.body.errors]).toEqual([request.path, 201, undefined]);
        }),
      );
      const [booked, subscribed] = requests.map(({ body }) => ({ patientId: body.patient_id as string }));
      expect(await db.appointment.count({ where: booked! })).toBe(1);
      expect(await db.subscription.count({ where: subscribed! })).toBe(1);
    }
    for (let n = 0; n < ROUNDS; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, round));
    durations.sort((a, b) => a - b);
    const at = (share: number) => Math.round(durations[Math.ceil(durations.length * share) - 1]!);
    console.info(`answered after a kill: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
    expect(at(0.99)).toBeLessThanOrEqual(15_000);
    const [books] = Object.values(clinic.acuity.emulator.world.state.accounts);
    const starts = books!.appointments
      .filter(({ canceled }) => !canceled)
      .map((one) => `${one.calendarId} ${one.startAt}`);
    expect(new Set(starts).size).toBe(starts.length);
  },
  1_800_000,
);
