import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Context, contextFor } from '#server/core/context.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { refreshAppointment } from '#server/scheduling/acuity-sync/refresh-appointment.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { attachUnmatched } from '#server/scheduling/unmatched/attach-unmatched.ts';
import { asAdmin, asApplication } from './actors.ts';
import { type Booking, startBooking } from './booking.ts';
import { differencesToAcuity } from './invariants/acuity-truth.ts';
import { healAcuity } from './reconciling.ts';
import { makePatient, ROWAN, VISIT } from './scheduling.ts';
import { SEED, seededRandom } from './seed.ts';

/** `PROVE=1`: every call of every verb × every way × retried or left. Else a part of it by the seed. */
const LONG = process.env.PROVE === '1';
const SHORT = 5;
/** What Acuity may answer instead, having done nothing or what it was asked for. */
const LIES = {
  'busy before': () =>
    Response.json({ status_code: 429, error: 'too_many_requests', message: 'Busy' }, { status: 429 }),
  'failed before': () => Response.json({ status_code: 500, error: 'server_error', message: 'Failed' }, { status: 500 }),
  'failed after': () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  'down after': () => Response.json({ status_code: 503, error: 'unavailable', message: 'Down' }, { status: 503 }),
  'broken off after': async (told: Response) => new Response((await told.text()).slice(0, 20), told),
  'something else after': () => Response.json({ unexpected: true }),
};
type Lie = keyof typeof LIES;
type How = 'lost before' | 'lost after' | 'killed before' | 'killed after' | Lie;
const HOWS: How[] = ['lost before', 'lost after', 'killed before', 'killed after', ...(Object.keys(LIES) as Lie[])];
type Cut = { call: number; how: How };

let clinic: Booking;
let slots: string[];
const realFetch = globalThis.fetch;
beforeAll(async () => {
  clinic = await startBooking();
  slots = [];
  for (let day = 0; day < 30; day += 1)
    slots.push(...(await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date));
}, 120_000);
afterAll(async () => {
  globalThis.fetch = realFetch;
  await clinic?.stop();
});

const NEVER = new Promise<never>(() => {});
/** All that a dead process still does: nothing. */
const dead: unknown = new Proxy(() => NEVER, { get: (_, name) => (name === 'then' ? undefined : dead) });

const lose = (): never => {
  throw new TypeError('The line was cut.');
};

/**
 * Does something with one of its calls to Acuity cut: lost on its way there or back, the process killed before or after
 * it, or answered by something that is not true. Tells how many calls there were.
 */
async function cutting(ctx: Context, cut: Cut | null, work: (ctx: Context) => Promise<unknown>): Promise<number> {
  let calls = 0;
  let isDead = false;
  let die: () => never = lose;
  const death = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
      return lose();
    };
  });
  globalThis.fetch = async (input, init) => {
    if (!String(input).includes('/api/v1/')) return realFetch(input, init);
    // A dead process asks nobody, and keeps nothing.
    if (isDead) return lose();
    calls += 1;
    if (calls !== cut?.call) return realFetch(input, init);
    if (cut.how === 'killed before') return die();
    if (cut.how === 'lost before') return lose();
    if (cut.how === 'busy before' || cut.how === 'failed before') return LIES[cut.how]();
    const told = await realFetch(input, init);
    if (cut.how === 'killed after') return die();
    return cut.how === 'lost after' ? lose() : LIES[cut.how](told);
  };
  const db = new Proxy(ctx.db, { get: (own, name) => (isDead ? dead : Reflect.get(own, name)) });
  await Promise.race([work({ ...ctx, db }).catch(() => {}), death]);
  globalThis.fetch = realFetch;
  // What it kept in memory is gone with it.
  if (isDead) clinic.services.kept.scheduling.catalogues.clear();
  if (isDead) clinic.services.kept.mirror.questions.clear();
  return calls;
}

type Scene = { ask(ctx: Context): Promise<unknown> };
const slot = () => slots.shift()!;
const app = () => asApplication(clinic.services, clinic.tenant);
const wish = async (more: object = {}) => ({
  patient_id: (await makePatient(clinic)).id,
  appointment_type_id: VISIT,
  from_date: slot(),
  ...more,
});
const booked = async () => bookAppointment(app(), await wish({ calendar_id: ROWAN }));
const inConsole = async (email: string): Promise<number> =>
  (
    await clinic.console('POST', '/appointments?admin=true', {
      ...{
        datetime: slot(),
        appointmentTypeID: VISIT,
        calendarID: ROWAN,
        firstName: 'Robin',
        lastName: 'Example',
        email,
      },
    })
  ).id;
const look = (providerAppointmentId: number) => async (ctx: Context) =>
  refreshAppointment(
    // The look has a context of its own; what it asks the database goes by the one that may die.
    { ...clinic.services, database: { ...clinic.services.database, forTenant: () => ctx.db } } as never,
    { tenantId: clinic.tenant.id, accountId: (await getAcuityAccount(clinic.ctx)).accountId, providerAppointmentId },
  );

const VERBS: Record<string, () => Promise<Scene>> = {
  'a booking': async () => {
    const input = await wish({ calendar_id: ROWAN });
    return { ask: (ctx) => bookAppointment(ctx, input) };
  },
  'a booking on any calendar': async () => {
    const input = await wish();
    return { ask: (ctx) => bookAppointment(ctx, input) };
  },
  'a move': async () => {
    const { id } = await booked();
    const input = { id, from_date: slot() };
    return { ask: (ctx) => rescheduleAppointment(ctx, input) };
  },
  'a cancellation': async () => {
    const { id } = await booked();
    return { ask: (ctx) => cancelAppointment(ctx, { id }) };
  },
  'what the console booked for a patient': async () => {
    const email = `${crypto.randomUUID()}@example.test`;
    await makePatient(clinic, { email });
    return { ask: look(await inConsole(email)) };
  },
  'what the console booked for nobody known here, attached': async () => {
    const id = await inConsole(`${crypto.randomUUID()}@example.test`);
    const { id: patient_id } = await makePatient(clinic);
    return {
      async ask(ctx) {
        await look(id)(ctx);
        const row = await ctx.db.unmatchedAppointment.findFirst({ where: { providerAppointmentId: id } });
        const admin = { ...asAdmin(clinic.services, clinic.tenant), db: ctx.db };
        if (row) await attachUnmatched(admin, { id: row.id, patient_id });
        await look(id)(ctx);
      },
    };
  },
};

/** Comparisons never begin before the last one ended. */
let comparedUntil = new Date();

test(`whichever call is cut, both sides agree after healing and one bound (seed ${SEED})`, async () => {
  const next = seededRandom();
  const cuts: { name: string; cut: Cut; again: boolean }[] = [];
  for (const [name, prepare] of Object.entries(VERBS)) {
    const { ask } = await prepare();
    const calls = await cutting(app(), null, ask);
    expect([name, calls > 0]).toEqual([name, true]);
    for (let call = 1; call <= calls; call += 1)
      for (const how of HOWS) for (const again of [true, false]) cuts.push({ name, cut: { call, how }, again });
  }
  const shuffled = cuts.map((cut) => ({ cut, at: next() })).sort((a, b) => a.at - b.at);
  const chosen = LONG ? cuts : shuffled.slice(0, SHORT).map(({ cut }) => cut);
  for (const { name, cut, again } of chosen) {
    const { ask } = await VERBS[name]!();
    await cutting(app(), cut, ask);
    if (again) await cutting(contextFor(clinic.services, app().actor, {}), null, ask);
    comparedUntil = await healAcuity(clinic.services, clinic.tenant.id, comparedUntil);
    const differences = await differencesToAcuity(clinic.ctx, clinic.booked(), comparedUntil);
    expect([name, cut, again, differences]).toEqual([name, cut, again, []]);
  }
  console.info(`cut Acuity calls: seed ${SEED}, ${chosen.length} of ${cuts.length} cuts, both sides agree`);
}, 1_800_000);
