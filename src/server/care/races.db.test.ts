import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CareBench, withCare } from '#dev/testing/care.ts';
import { SANDBOX, withClinic } from '#dev/testing/clinic.ts';
import { findEndedCareViolations } from '#dev/testing/invariants/ended-care.ts';
import type { RestResponse } from '#dev/testing/rest-client.ts';
import { seededRandom } from '#dev/testing/seed.ts';

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE === '1' ? 40 : 1;
/** About the duration of a booking, so that concurrent requests meet each of its steps. */
const SPREAD_MS = 60;

let care: CareBench;
beforeAll(async () => {
  care = await withCare(
    await withClinic({ ...SANDBOX, env: { DATABASE_CONNECTIONS: '22', PROVIDER_TIMEOUT_MS: '5000' } }),
  );
});
afterAll(() => care?.stop());

const book = (id: string) => care.send('POST', '/appointments', care.wish(id));
const subscribe = (id: string) =>
  care.send('POST', '/subscriptions', { patient_id: id, price_ids: [care.offer.priceId] });
const archive = (id: string) => care.archive(id);
const endCare = (id: string) => care.endCare(id);
const outcomeOf = ({ status, body }: RestResponse) => (status < 400 ? status : body.errors[0].code);

/** Runs the requests concurrently, in rounds with a new patient each; the job finishes before the result is checked. */
async function rounds(
  racers: ((id: string) => Promise<RestResponse>)[],
  allowed: (string | number)[],
  verify: (outcomes: (string | number)[], id: string) => unknown = () => undefined,
) {
  const random = seededRandom();
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await care.patient();
    const responses = await Promise.all(
      racers.map(async (racer) => {
        await pause(random() * SPREAD_MS);
        return racer(id);
      }),
    );
    const outcomes = responses.map(outcomeOf);
    expect(outcomes.filter((one) => !allowed.includes(one))).toEqual([]);
    await care.settle(id);
    expect(await findEndedCareViolations(care, [id])).toEqual([]);
    await verify(outcomes, id);
  }
}

describe('concurrent with the end of care', { timeout: 300_000 }, () => {
  test('bookings are rejected or canceled', () =>
    rounds([book, endCare, book, book], [200, 201, 202, 'patient_archived'], async (_, id) => {
      // A booking after the archiving finds the patient archived; the patient stays archived either way.
      expect((await care.read(id)).status).toBe('archived');
    }));

  test('subscriptions are rejected or ended', () =>
    rounds([subscribe, endCare, subscribe], [200, 201, 202, 'patient_archived'], async (_, id) => {
      expect((await care.read(id)).status).toBe('archived');
    }));

  test('both are, with a second request to end care', () =>
    rounds([endCare, book, subscribe, endCare], [200, 201, 202, 'patient_archived'], async (_, id) => {
      expect((await care.read(id)).status).toBe('archived');
      expect(await care.db.event.count({ where: { objectId: id, eventTopic: 'archived' } })).toBe(1);
    }));

  test('archiving without end_care either wins, and nothing starts, or is rejected', () =>
    rounds([book, archive, subscribe], [200, 201, 'conflict', 'patient_archived'], async (outcomes, id) => {
      const created = [outcomes[0], outcomes[2]].filter((one) => one === 201);
      const { status } = await care.read(id);
      expect([status, created.length > 0]).toEqual(outcomes[1] === 200 ? ['archived', false] : ['active', true]);
    }));
});

// Each test has its own patient and route, so that the waits for providers overlap.
describe.concurrent('with a provider call in progress when care ends', () => {
  let moving: { id: string; appointment: string };
  beforeAll(async () => {
    const id = await care.patient();
    moving = { id, appointment: await care.book(id) };
  });

  const during = async (
    send: () => Promise<RestResponse>,
    countStarted: (id: string) => Promise<number>,
    id: string,
  ) => {
    const request = send();
    await expect.poll(() => countStarted(id), { interval: 10, timeout: 5000 }).toBe(1);
    const ended = await care.endCare(id);
    await care.run(id);
    expect((await care.read(id)).status).toBe('active');
    return { response: await request, ended };
  };

  test('a booking that Acuity confirms later is canceled', async () => {
    const id = await care.patient();
    care.acuityFault('slow_drip', { method: 'POST', path: '/api/v1/appointments' });
    const pending = (patientId: string) => care.db.appointment.count({ where: { patientId, status: 'pending' } });
    const { response, ended } = await during(() => book(id), pending, id);
    expect([response.status, ended.status]).toEqual([201, 202]);
    expect(ended.body.care_ending.live.visits).toEqual({ count: 1, ids: [] });
    await care.settle(id);
    expect((await care.read(id)).status).toBe('archived');
    expect((await care.send('GET', `/appointments/${response.body.id}`)).body.status).toBe('canceled');
    expect(await findEndedCareViolations(care, [id])).toEqual([]);
  });

  test('a subscription that Stripe creates later is ended', async () => {
    const id = await care.patient();
    care.stripeFault('slow_drip', { method: 'POST', path: '/v1/subscriptions' });
    const open = (patientId: string) => care.db.subscriptionIntent.count({ where: { patientId, status: 'pending' } });
    const { response, ended } = await during(() => subscribe(id), open, id);
    expect([response.status, ended.status]).toEqual([201, 202]);
    expect(ended.body.care_ending.live.subscriptions).toEqual({ count: 1, ids: [] });
    await care.settle(id);
    expect((await care.read(id)).status).toBe('archived');
    expect(await findEndedCareViolations(care, [id])).toEqual([]);
  });

  test('an appointment whose reschedule Acuity confirms later is canceled at its new time', async () => {
    const { id, appointment } = moving;
    care.acuityFault('slow_drip', { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' });
    const { from_date } = care.wish(id);
    const move = () => care.send('POST', `/appointments/${appointment}/reschedule`, { from_date });
    const request = move();
    const countPending = () =>
      care.db.appointment.count({ where: { id: appointment, pendingChange: { path: ['kind'], equals: 'move' } } });
    await expect.poll(countPending, { interval: 10, timeout: 5000 }).toBe(1);
    expect((await care.endCare(id)).status).toBe(202);
    await Promise.all([care.run(id), request]);
    await care.settle(id);
    expect((await care.read(id)).status).toBe('archived');
    expect(await findEndedCareViolations(care, [id])).toEqual([]);
  });
});

test('two concurrent requests and two concurrent job runs end everything once', { timeout: 300_000 }, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await care.patient();
    await Promise.all([care.book(id), care.book(id), care.subscribe(id)]);
    const responses = await Promise.all([care.endCare(id), care.endCare(id)]);
    expect(responses.map(({ status }) => status)).toEqual([202, 202]);
    const job = { tenantId: care.tenantId, patientId: id, tries: 0 };
    await Promise.all([care.runBeside(job), care.runBeside(job), care.endCare(id)]);
    await care.settle(id);
    expect(await findEndedCareViolations(care, [id])).toEqual([]);
    const counts = await care.db.event.groupBy({
      by: ['eventType', 'eventTopic'],
      where: { patientId: id, eventTopic: { in: ['archived', 'canceled', 'expired'] } },
      _count: true,
    });
    const countByEvent = Object.fromEntries(counts.map((one) => [`${one.eventType}.${one.eventTopic}`, one._count]));
    expect(countByEvent).toEqual({ 'patient.archived': 1, 'appointment.canceled': 2, 'subscription.expired': 1 });
  }
});
