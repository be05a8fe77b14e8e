import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '#server/core/clock.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { asApplication } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { differencesToAcuity } from './invariants/acuity-truth.ts';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { reconcileAcuityFor } from './reconciling.ts';
import { FOLLOW_UP, makePatient } from './scheduling.ts';
import { SEED, seededRandom } from './seed.ts';

/** `PROVE=1` runs the long form. */
const ROUNDS = process.env.PROVE === '1' ? 40 : 3;
/** Concurrent bookings per round, in addition to one reschedule and one cancellation. */
const AT_ONCE = 4;

let postgres: OwnPostgres;
let clinic: Clinic<'acuity'>;
const realFetch = globalThis.fetch;
beforeAll(async () => {
  postgres = await startOwnPostgres({ durable: true });
  clinic = await withClinic({ acuity: true, database: { ...postgres, drop: () => postgres.stop() } });
}, 120_000);
afterAll(async () => {
  globalThis.fetch = realFetch;
  await clinic?.stop();
});

const app = () => asApplication(clinic.services, clinic.tenant);
/** Slots per day, an hour apart, that both New York and Chicago have in winter and in summer. */
const OF_A_DAY = 6;
const times = Array.from({ length: 55 * OF_A_DAY }, (_, n) => {
  const day = new Date(Date.now() + (2 + Math.floor(n / OF_A_DAY)) * 24 * 60 * MINUTE).toISOString().slice(0, 10);
  return `${day}T${15 + (n % OF_A_DAY)}:00:00Z`;
});
const time = () => times.shift()!;

async function waitUntilReachable(): Promise<void> {
  for (let tries = 0; ; tries += 1)
    try {
      await clinic.ctx.db.appointment.count();
      return;
    } catch (error) {
      if (tries > 200) throw error;
      await pause(50);
    }
}

/** A comparison never starts before the previous one ended. */
let comparedUntil = new Date();

test(`keeps every confirmed change and agrees with Acuity when PostgreSQL is killed during bookings, reschedules and cancellations (seed ${SEED})`, async () => {
  const next = seededRandom();
  let succeeded = 0;
  let callCount = 0;
  /** Duration of an uninterrupted round. */
  let wholeMs = 0;
  // The first round is not interrupted; it measures the duration.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const book = async () => {
      const patient_id = (await makePatient(clinic)).id;
      return () => bookAppointment(app(), { patient_id, appointment_type_id: FOLLOW_UP, from_date: time() });
    };
    const news = await Promise.all(Array.from({ length: AT_ONCE }, book));
    const moved = await (await book())();
    const canceled = await (await book())();
    const to = time();
    const calls = [
      ...news.map((make) => ({ make, becomes: 'scheduled' })),
      { make: () => rescheduleAppointment(app(), { id: moved.id, from_date: to }), becomes: 'scheduled' },
      { make: () => cancelAppointment(app(), { id: canceled.id }), becomes: 'canceled' },
    ];
    // The kill is either at a random moment, or when an Acuity request is sent or its response arrives.
    const struck = next() < 0.5 ? null : 1 + Math.floor(next() * 3 * AT_ONCE);
    const since = performance.now();
    const killing =
      round === 0
        ? Promise.resolve()
        : struck === null
          ? pause(next() * wholeMs).then(postgres.kill)
          : killAtCall(struck, next() < 0.5, wholeMs);
    const outcomes = await Promise.all(
      calls.map(({ make, becomes }) =>
        make().then(
          (view) => ({ id: view.id, from_date: view.from_date, becomes }),
          () => null,
        ),
      ),
    );
    if (round === 0) wholeMs = performance.now() - since;
    await killing;
    globalThis.fetch = realFetch;
    if (round > 0) await postgres.up();
    await waitUntilReachable();
    if (round === 0) expect(outcomes.filter((outcome) => outcome === null)).toEqual([]);
    callCount += outcomes.length;
    for (const outcome of outcomes) {
      if (!outcome) continue;
      succeeded += 1;
      const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id: outcome.id } });
      expect([row.status, row.startAt.getTime()]).toEqual([outcome.becomes, Date.parse(outcome.from_date)]);
    }
    comparedUntil = await reconcileAcuityFor(clinic.services, clinic.tenant.id, comparedUntil);
    expect([round, await differencesToAcuity(clinic.ctx, clinic.acuity.booked(), comparedUntil)]).toEqual([round, []]);
  }
  console.info(
    `PostgreSQL killed ${ROUNDS} times (seed ${SEED}): ${succeeded} of ${callCount} calls were answered, none was lost`,
  );
}, 1_800_000);

/** Kills PostgreSQL when that call to Acuity is sent or its response arrives, at the latest after `latestMs`. */
async function killAtCall(number: number, isAfterResponse: boolean, latestMs: number): Promise<void> {
  let calls = 0;
  let kill = (): void => {};
  const due = new Promise<void>((resolve) => {
    kill = resolve;
  });
  globalThis.fetch = async (input, init) => {
    if (!String(input).includes('/api/v1/')) return realFetch(input, init);
    calls += 1;
    const isIt = calls === number;
    if (isIt && !isAfterResponse) kill();
    const response = await realFetch(input, init);
    if (isIt) kill();
    return response;
  };
  await Promise.race([due, pause(latestMs)]);
  await postgres.kill();
}
