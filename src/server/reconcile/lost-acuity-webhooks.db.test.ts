import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { differencesToAcuity } from '#dev/testing/invariants/acuity-truth.ts';
import { compareFor, runJobs } from '#dev/testing/reconciling.ts';
import { ALDER, errorOf, FOLLOW_UP, ROWAN } from '#dev/testing/scheduling.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { signAcuity } from '#dev/testing/sign-acuity.ts';
import { MINUTE } from '#server/core/clock.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { receiveAcuityWebhook } from '#server/scheduling/sync/acuity-webhook.ts';

/** `PROVE=1` in the long form. */
const ROUNDS = process.env.PROVE === '1' ? 100 : 1;
const ACTIONS = 12;

let clinic: Booking;
/** Each comparison here starts later than the one before. */
let now = new Date();
/** Slots of several days on two calendars. */
const free: { from_date: string; calendar_id: number }[] = [];
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
  for (let day = 0; day < 20; day += 1) {
    const on = clinic.nextDay();
    for (const calendar of [ROWAN, ALDER]) free.push(...(await clinic.free(on, calendar)));
  }
}, 120_000);
afterAll(() => clinic?.stop());

function receive(rawBody: string): Promise<void> {
  const header = () => signAcuity(rawBody, clinic.acuity.account.api_key);
  return receiveAcuityWebhook(clinic.services, { tenantId: clinic.tenant.id, rawBody, header });
}

const works = () => runJobs(clinic.services, clinic.tenant.id, ['process_inbound_event']);

async function deliverChange(id: number): Promise<void> {
  await receive(`action=appointment.changed&id=${id}`);
  await works();
}

/** Webhooks in transit, and those that have been sent. */
const onTheWay: string[] = [];
const sent = new Set<string>();
const LOST = 1 / 10;
const DOUBLED = 1 / 5;
/**
 * Delivers some of them in random order to two workers. A tenth is lost, and some are delayed past later changes and
 * comparisons.
 */
async function deliver(next: () => number, loses: boolean): Promise<number> {
  let lost = 0;
  for (const { id, body } of clinic.acuity.webhooks().filter((one) => !sent.has(one.id))) {
    sent.add(id);
    if (loses || next() < LOST) lost += 1;
    else onTheWay.push(body, ...(next() < DOUBLED ? [body] : []));
  }
  while (onTheWay.length > 0 && next() < 2 / 3) {
    const [rawBody] = onTheWay.splice(Math.floor(next() * onTheWay.length), 1) as [string];
    await receive(rawBody);
  }
  if (next() < 2 / 3) await Promise.all([works(), works()]);
  return lost;
}

const rejected = () => null;
/** Random changes at Acuity and here; each returns the Acuity id of the changed appointment. */
function actions(next: () => number): (() => Promise<number | null>)[] {
  const any = <T>(all: T[]): T | undefined => all[Math.floor(next() * all.length)];
  const live = () => any(clinic.acuity.booked().filter(({ canceled }) => !canceled))?.id;
  const slot = () => any(free)!;
  const consoleOf = (method: string, path: string, body: object) =>
    clinic.acuity.console(method, path, body).then(({ id }) => id as number, rejected);
  const inConsole = (email: string) => {
    const { from_date: datetime, calendar_id: calendarID } = slot();
    const client = { firstName: 'Ada', lastName: 'Example', email };
    return consoleOf('POST', '/appointments?admin=true', {
      datetime,
      appointmentTypeID: FOLLOW_UP,
      calendarID,
      ...client,
    });
  };
  const own = async () => any(await clinic.ctx.db.appointment.findMany({ where: { status: 'scheduled' } }));
  return [
    () => inConsole('ada@example.test'),
    () => inConsole('unknown@example.test'),
    async () => {
      const id = live();
      return id ? consoleOf('PUT', `/appointments/${id}/reschedule?admin=true`, { datetime: slot().from_date }) : null;
    },
    async () => {
      const id = live();
      return id ? consoleOf('PUT', `/appointments/${id}/cancel?admin=true`, { noShow: next() < 0.3 }) : null;
    },
    async () => {
      // A permanent deletion has no webhook.
      const books = clinic.acuity.booked();
      const at = books.findIndex(({ id }) => id === live());
      if (at >= 0 && next() < 0.3) books.splice(at, 1);
      return null;
    },
    () => {
      const { from_date, calendar_id } = slot();
      return bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id })).then(
        (view) => view.provider_appointment_id,
        rejected,
      );
    },
    async () => {
      const row = await own();
      const wish = row && { id: row.id, from_date: slot().from_date };
      return wish
        ? rescheduleAppointment(clinic.app(), wish).then((view) => view.provider_appointment_id, rejected)
        : null;
    },
    async () => {
      const row = await own();
      return row ? cancelAppointment(clinic.app(), row).then((view) => view.provider_appointment_id, rejected) : null;
    },
  ];
}

describe(`random changes at Acuity and here with lost, late, repeated and reordered webhooks (seed ${SEED})`, () => {
  it(`end with equal live appointments on both sides within the bound, ${ROUNDS} times`, async () => {
    const next = seededRandom();
    const all = actions(next);
    let [lost, done] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let n = 0; n < ACTIONS; n += 1) {
        if ((await all[Math.floor(next() * all.length)]!()) === null) continue;
        done += 1;
        // At least one webhook of the last change.
        lost += await deliver(next, n === ACTIONS - 1);
      }
      now = await compareFor(clinic.services, clinic.tenant.id, { from: now });
      expect([round, await differencesToAcuity(clinic.ctx, clinic.acuity.booked(), now)]).toEqual([round, []]);
    }
    console.info(
      `lost Acuity webhooks: seed ${SEED}, ${lost} of ${sent.size} lost, ${done} changes in ${ROUNDS} rounds`,
    );
    expect(lost).toBeGreaterThan(0);
  }, 1_800_000);
});

const READ = { method: 'GET', path: '/api/v1/appointments/:id' };
/** One bound, which starts after all calls in progress have ended. */
async function bound(): Promise<void> {
  const from = new Date(Math.max(now.getTime(), Date.now() + MINUTE));
  now = await compareFor(clinic.services, clinic.tenant.id, { from });
}
const differences = () => differencesToAcuity(clinic.ctx, clinic.acuity.booked(), now);
const timesOf = async () => (await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date);
const book = (time: string) => bookAppointment(clinic.app(), clinic.wish(time, { calendar_id: ROWAN }));

describe('after a failure of Acuity', () => {
  it('resolves a reschedule within the bound when its look-up has failed permanently', async () => {
    const [time, other] = await timesOf();
    const { id } = await book(time!);
    await clinic.acuity.fault('reset_after', { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' });
    await clinic.acuity.fault('503', READ);
    await errorOf(rescheduleAppointment(clinic.app(), { id, from_date: other! }));
    const failed = await clinic.ctx.db.$executeRaw`
      update graphile_worker._private_jobs set attempts = max_attempts where key = ${`resolve_appointment:${id}`}`;
    expect(failed).toBe(1);
    await bound();
    expect(await differences()).toEqual([]);
    expect(await clinic.ctx.db.appointment.findFirst({ where: { id } })).toMatchObject({ startAt: new Date(other!) });
  });

  it('does not look up unknown outcomes more often while Acuity fails', async () => {
    const [time, other] = await timesOf();
    const { id } = await book(time!);
    await clinic.acuity.fault('reset_after', { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' });
    await clinic.acuity.fault('503', READ);
    await errorOf(rescheduleAppointment(clinic.app(), { id, from_date: other! }));
    const { db } = clinic.ctx;
    const key = `resolve_appointment:${id}`;
    const far = new Date(now.getTime() + 100 * MINUTE);
    await db.$executeRaw`update graphile_worker._private_jobs set attempts = 7, run_at = ${far} where key = ${key}`;
    await db.schedulingReconcile.updateMany({ data: { passStartedAt: null } });
    await clinic.acuity.fault('503', {}, 1000);
    now = await compareFor(clinic.services, clinic.tenant.id, {
      from: new Date(Math.max(now.getTime(), Date.now() + MINUTE)),
      bounds: 8 / 12,
    });
    await clinic.acuity.control('DELETE', 'faults');
    const rows = await db.$queryRaw`select attempts from graphile_worker._private_jobs where key = ${key}`;
    expect(rows).toEqual([{ attempts: 7 }]);
    await bound();
    expect(await differences()).toEqual([]);
  });

  it('writes a location that Acuity did not store, and expects none where the type has no form', async () => {
    const [datetime] = await timesOf();
    const booking = await clinic.acuity.console('POST', '/appointments?admin=true', {
      ...{ datetime, appointmentTypeID: FOLLOW_UP, calendarID: ROWAN },
      ...{ firstName: 'Ada', lastName: 'Example', email: 'ada@example.test' },
    });
    const atAcuity = () => clinic.acuity.booked().find(({ id }) => id === booking.id)!;
    await clinic.acuity.fault('503', { method: 'PUT', path: '/api/v1/appointments/:id' });
    await deliverChange(booking.id);
    expect(atAcuity().answers).toEqual([]);
    const [form] = clinic.acuity.forms().splice(0);
    clinic.services.catalogues.clear();
    await clinic.ctx.db.providerSnapshot.deleteMany();
    await bound();
    const state = () => clinic.ctx.db.schedulingReconcile.findFirstOrThrow();
    expect(await state()).toMatchObject({ differing: 0 });
    clinic.acuity.forms().push(form!);
    await bound();
    await bound();
    const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { providerAppointmentId: booking.id } });
    expect(atAcuity().answers.map(({ value }) => value)).toEqual([row.location]);
    expect(await state()).toMatchObject({ differing: 0 });
  });

  it('compares while Acuity fails only for webhooks', async () => {
    const [time] = await timesOf();
    const { provider_appointment_id } = await book(time!);
    await bound();
    await clinic.acuity.fault('503', { path: '/api/v1/webhooks' }, 1000);
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await bound();
    await clinic.acuity.control('DELETE', 'faults');
    expect(await differences()).toEqual([]);
  });
});

it('restores a lost claim of the booked appointment, and leaves alone those that share its slot', async () => {
  const [datetime] = await timesOf();
  const { id } = await book(datetime!);
  for (const email of ['ada@example.test', 'unknown@example.test'])
    await clinic.acuity.console('POST', '/appointments?admin=true', {
      ...{ datetime, appointmentTypeID: FOLLOW_UP, calendarID: ROWAN },
      ...{ firstName: 'Ada', lastName: 'Example', email },
    });
  await bound();
  const warnings: string[] = [];
  const log = { ...clinic.services.log, warn: (_: object, message: string) => warnings.push(message) };
  const held = { calendarId: ROWAN, startAt: new Date(datetime!) };
  for (const lost of [false, true]) {
    if (lost) await clinic.ctx.db.slotClaim.deleteMany({ where: held });
    const services = { ...clinic.services, log } as unknown as typeof clinic.services;
    now = await compareFor(services, clinic.tenant.id, { from: now, bounds: 6 / 12 });
    expect(await clinic.ctx.db.slotClaim.findMany({ where: held })).toMatchObject([{ appointmentId: id }]);
    if (!lost) expect(warnings).toEqual([]);
  }
});

it('compares next to an appointment whose id is too large to be stored', async () => {
  const [time] = await timesOf();
  const { provider_appointment_id } = await book(time!);
  await bound();
  const books = clinic.acuity.booked();
  books.push({ ...books.at(-1)!, id: 3_000_000_000 });
  await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
  await bound();
  books.pop();
  expect(await differences()).toEqual([]);
});
