import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CareBench, startCare } from '#dev/testing/care.ts';
import { findEndedCareFaults } from '#dev/testing/invariants/ended-care.ts';
import type { RestAnswer } from '#dev/testing/rest-client.ts';
import { seededRandom } from '#dev/testing/seed.ts';

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE === '1' ? 40 : 1;
/** A booking takes as long, so that what races with it meets each of its steps. */
const SPREAD_MS = 60;

let care: CareBench;
beforeAll(async () => {
  care = await startCare({ DATABASE_CONNECTIONS: '22', PROVIDER_TIMEOUT_MS: '5000' });
});
afterAll(() => care?.stop());

const book = (id: string) => care.send('POST', '/appointments', care.wish(id));
const subscribe = (id: string) =>
  care.send('POST', '/subscriptions', { patient_id: id, price_ids: [care.offer.priceId] });
const archive = (id: string) => care.archive(id);
const endCare = (id: string) => care.endCare(id);
const outcome = ({ status, body }: RestAnswer) => (status < 400 ? status : body.errors[0].code);

/** All at once, again and again, for a new patient each time; what the job still has to do is done before it is judged. */
async function rounds(
  racers: ((id: string) => Promise<RestAnswer>)[],
  allowed: (string | number)[],
  judge: (outcomes: (string | number)[], id: string) => unknown = () => undefined,
) {
  const random = seededRandom();
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await care.patient();
    const answers = await Promise.all(
      racers.map(async (racer) => {
        await pause(random() * SPREAD_MS);
        return racer(id);
      }),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((one) => !allowed.includes(one))).toEqual([]);
    await care.settle(id);
    expect(await findEndedCareFaults(care, [id])).toEqual([]);
    await judge(outcomes, id);
  }
}

describe('with the end of care in the same moment', { timeout: 300_000 }, () => {
  test('bookings are refused or canceled', () =>
    rounds([book, endCare, book, book], [200, 201, 202, 'patient_archived'], async (_, id) => {
      // One that came after the patient was archived met nothing to end; the archive holds either way.
      expect((await care.read(id)).status).toBe('archived');
    }));

  test('subscriptions are refused or ended', () =>
    rounds([subscribe, endCare, subscribe], [200, 201, 202, 'patient_archived'], async (_, id) => {
      expect((await care.read(id)).status).toBe('archived');
    }));

  test('both, and a second request to end it', () =>
    rounds([endCare, book, subscribe, endCare], [200, 201, 202, 'patient_archived'], async (_, id) => {
      expect((await care.read(id)).status).toBe('archived');
      expect(await care.db.event.count({ where: { objectId: id, eventTopic: 'archived' } })).toBe(1);
    }));

  test('an archiving that ends nothing wins, and then nothing is begun, or is refused', () =>
    rounds([book, archive, subscribe], [200, 201, 'conflict', 'patient_archived'], async (outcomes, id) => {
      const begun = [outcomes[0], outcomes[2]].filter((one) => one === 201);
      const { status } = await care.read(id);
      expect([status, begun.length > 0]).toEqual(outcomes[1] === 200 ? ['archived', false] : ['active', true]);
    }));
});

// Each with a patient and a route of its own, so that they can wait for their providers at the same time.
describe.concurrent('with what is under way at a provider when care ends', () => {
  let moving: { id: string; visit: string };
  beforeAll(async () => {
    const id = await care.patient();
    moving = { id, visit: await care.book(id) };
  });

  const during = async (ask: () => Promise<RestAnswer>, isBegun: (id: string) => Promise<number>, id: string) => {
    const asked = ask();
    await expect.poll(() => isBegun(id), { interval: 10, timeout: 5000 }).toBe(1);
    const ended = await care.endCare(id);
    await care.run(id);
    expect((await care.read(id)).status).toBe('active');
    return { asked: await asked, ended };
  };

  test('a booking that Acuity confirms afterwards is canceled', async () => {
    const id = await care.patient();
    care.acuityFault('slow_drip', { method: 'POST', path: '/api/v1/appointments' });
    const pending = (patientId: string) => care.db.appointment.count({ where: { patientId, status: 'pending' } });
    const { asked, ended } = await during(() => book(id), pending, id);
    expect([asked.status, ended.status]).toEqual([201, 202]);
    expect(ended.body.care_ending.live.visits).toEqual({ count: 1, ids: [] });
    await care.settle(id);
    expect((await care.read(id)).status).toBe('archived');
    expect((await care.send('GET', `/appointments/${asked.body.id}`)).body.status).toBe('canceled');
    expect(await findEndedCareFaults(care, [id])).toEqual([]);
  });

  test('a subscription that Stripe makes afterwards is ended', async () => {
    const id = await care.patient();
    care.stripeFault('slow_drip', { method: 'POST', path: '/v1/subscriptions' });
    const open = (patientId: string) => care.db.subscriptionIntent.count({ where: { patientId, status: 'pending' } });
    const { asked, ended } = await during(() => subscribe(id), open, id);
    expect([asked.status, ended.status]).toEqual([201, 202]);
    expect(ended.body.care_ending.live.subscriptions).toEqual({ count: 1, ids: [] });
    await care.settle(id);
    expect((await care.read(id)).status).toBe('archived');
    expect(await findEndedCareFaults(care, [id])).toEqual([]);
  });

  test('a move that Acuity confirms afterwards ends where it went', async () => {
    const { id, visit } = moving;
    care.acuityFault('slow_drip', { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' });
    const { from_date } = care.wish(id);
    const move = () => care.send('POST', `/appointments/${visit}/reschedule`, { from_date });
    const asked = move();
    const begun = () =>
      care.db.appointment.count({ where: { id: visit, pendingChange: { path: ['kind'], equals: 'move' } } });
    await expect.poll(begun, { interval: 10, timeout: 5000 }).toBe(1);
    expect((await care.endCare(id)).status).toBe(202);
    await Promise.all([care.run(id), asked]);
    await care.settle(id);
    expect((await care.read(id)).status).toBe('archived');
    expect(await findEndedCareFaults(care, [id])).toEqual([]);
  });
});

test('two requests and two runs of the job at once end everything once', { timeout: 300_000 }, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await care.patient();
    await Promise.all([care.book(id), care.book(id), care.subscribe(id)]);
    const answers = await Promise.all([care.endCare(id), care.endCare(id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const job = { tenantId: care.tenantId, patientId: id, tries: 0 };
    await Promise.all([care.runBeside(job), care.runBeside(job), care.endCare(id)]);
    await care.settle(id);
    expect(await findEndedCareFaults(care, [id])).toEqual([]);
    const counts = await care.db.event.groupBy({
      by: ['eventType', 'eventTopic'],
      where: { patientId: id, eventTopic: { in: ['archived', 'canceled', 'expired'] } },
      _count: true,
    });
    const told = Object.fromEntries(counts.map((one) => [`${one.eventType}.${one.eventTopic}`, one._count]));
    expect(told).toEqual({ 'patient.archived': 1, 'appointment.canceled': 2, 'subscription.expired': 1 });
  }
});
