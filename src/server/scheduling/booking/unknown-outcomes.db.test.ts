import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, withKey } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { claimsOf, errorOf, FOLLOW_UP, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { disconnectAcuity } from '#server/integrations/router.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { listLiveAppointments } from '../appointments/list-live-appointments.ts';
import { listAvailability } from '../availability/list-availability.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { resolveAppointment } from './resolve-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const BOOK = { method: 'POST', path: '/api/v1/appointments' };
const LOOK_UP = { method: 'GET', path: '/api/v1/appointments' };
const MOVE = { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' };
const CANCEL = { method: 'PUT', path: '/api/v1/appointments/:id/cancel' };
const READ = { method: 'GET', path: '/api/v1/appointments/:id' };

/** Without `PROVE`, a reset connection stands for most lost responses, since a timeout takes longer. */
const LOST = process.env.PROVE ? 'timeout' : 'reset';
const LOST_CODE = process.env.PROVE ? 'provider_timeout' : 'provider_unavailable';

const app = (key: string | null = null): Context => (key === null ? clinic.app() : withKey(clinic.app(), key));
/** Context with a short provider timeout, for the call whose response is lost. */
const impatient = (): Context => withProviderTimeout(app());
/** The same application: an Idempotency-Key belongs to one credential. */
const retryOf = (ctx: Context): Context => ({ ...ctx });
const later = (seconds = 120) => ({ ...clinic.services, clock: { now: () => new Date(Date.now() + seconds * 1000) } });
const resolve = (appointmentId: string) => resolveAppointment(later(), { tenantId: clinic.tenant.id, appointmentId });
const free = (onDay: string) => clinic.free(onDay, ROWAN);

/** The free slots of a separate day. */
async function freeTimes() {
  const onDay = clinic.nextDay();
  const slots = await free(onDay);
  return { onDay, times: slots.map(({ from_date }) => from_date) };
}
const wish = (from_date: string) => clinic.wish(from_date, { calendar_id: ROWAN });
const rowAt = (time: string) =>
  clinic.ctx.db.appointment.findFirst({ where: { startAt: new Date(time), calendarId: ROWAN } });
const bookedAt = (time: string) =>
  clinic.acuity.booked().filter(({ startAt, canceled }) => startAt === Date.parse(time) && !canceled);

describe.each(['timeout_after', 'reset_after', 'truncated', 'wrong_schema', '500'])(
  'a booking whose provider response is %s',
  (kind) => {
    test('is looked up at once and returned with its real outcome', async () => {
      const { times } = await freeTimes();
      await clinic.acuity.fault(kind, BOOK);
      const booking = bookAppointment(impatient(), wish(times[0]!));
      if (kind === '500') {
        const error = await errorOf(booking);
        expect(error.detail).toContain('Acuity');
        expect(bookedAt(times[0]!)).toHaveLength(0);
      } else {
        expect(await booking).toMatchObject({ status: 'scheduled', from_date: times[0] });
        expect(bookedAt(times[0]!)).toHaveLength(1);
      }
    });
  },
);

describe('a booking whose outcome cannot be looked up', () => {
  const unknown = async (effect: 'before' | 'after', ctx: Context) => {
    const { times, onDay } = await freeTimes();
    await clinic.acuity.fault(`${LOST}_${effect}`, BOOK);
    await clinic.acuity.fault('503', LOOK_UP);
    const error = await errorOf(bookAppointment(withProviderTimeout(ctx), wish(times[0]!)));
    expect(error.code).toBe(LOST_CODE);
    expect(error.detail).toMatch(/Acuity.*Idempotency-Key/s);
    return { time: times[0]!, onDay, row: (await rowAt(times[0]!))! };
  };

  test('returns provider_unavailable rather than slot_taken while the lookup fails', async () => {
    const ctx = app();
    const { time } = await unknown('after', ctx);
    await clinic.acuity.fault('503', LOOK_UP);
    const error = await errorOf(bookAppointment(ctx, wish(time)));
    expect(error).toMatchObject({ code: 'provider_unavailable', meta: { outcome: 'unknown' } });
    expect(await bookAppointment(ctx, wish(time))).toMatchObject({ status: 'scheduled', from_date: time });
    expect(bookedAt(time)).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)(
    'is resolved although the minimum notice now excludes its slot (lost %s)',
    async (effect) => {
      const ctx = app();
      const { time, row } = await unknown(effect, ctx);
      const limits = clinic.acuity.limits();
      const { minHoursInAdvance } = limits;
      limits.minHoursInAdvance = 24 * 365;
      try {
        const retry = bookAppointment(ctx, wish(time));
        if (effect === 'after') expect(await retry).toMatchObject({ id: row.id, status: 'scheduled', from_date: time });
        else expect((await errorOf(retry)).code).toBe('slot_not_offered');
      } finally {
        limits.minHoursInAdvance = minHoursInAdvance;
      }
      expect(bookedAt(time)).toHaveLength(effect === 'after' ? 1 : 0);
      expect(await claimsOf(clinic.ctx, row.id)).toHaveLength(effect === 'after' ? 1 : 0);
    },
  );

  test.each(['before', 'after'] as const)('holds its slot and is not listed (lost %s)', async (effect) => {
    const { time, onDay, row } = await unknown(effect, app());
    expect(row.status).toBe('pending');
    expect(await claimsOf(clinic.ctx, row.id)).toHaveLength(1);
    expect((await free(onDay)).map(({ from_date }) => from_date)).not.toContain(time);
    expect((await errorOf(getAppointment(app(), { id: row.id }))).code).toBe('not_found');
    const listed = await listAppointments(app(), { patient_id: clinic.patientId });
    expect(listed.items.map(({ id }) => id)).not.toContain(row.id);
    const other = await makePatient(clinic);
    const rival = bookAppointment(app(), { ...wish(time), patient_id: other.id });
    expect((await errorOf(rival)).code).toBe('slot_taken');
  });

  test.each(['before', 'after'] as const)(
    'is made once by a retry with its Idempotency-Key (lost %s)',
    async (effect) => {
      const ctx = app(`key-${effect}`);
      const { time, row } = await unknown(effect, ctx);
      const view = await bookAppointment(retryOf(ctx), wish(time));
      expect(view).toMatchObject({ id: row.id, status: 'scheduled' });
      expect(await bookAppointment(retryOf(ctx), wish(time))).toEqual(view);
      expect(bookedAt(time)).toHaveLength(1);
      await resolve(row.id);
      expect((await rowAt(time))!.status).toBe('scheduled');
      expect(await clinic.ctx.db.event.count({ where: { objectId: row.id } })).toBe(1);
    },
  );

  test('is found by a retry without an Idempotency-Key', async () => {
    const { time, row } = await unknown('after', app());
    expect((await bookAppointment(app(), wish(time))).id).toBe(row.id);
    expect(bookedAt(time)).toHaveLength(1);
  });

  test('is found by the job when Acuity did make it', async () => {
    const { time, row } = await unknown('after', app());
    await resolve(row.id);
    await resolve(row.id);
    expect(await getAppointment(app(), { id: row.id })).toMatchObject({ status: 'scheduled', from_date: time });
    expect(await claimsOf(clinic.ctx, row.id)).toHaveLength(1);
  });

  test('is given up by the job when Acuity did not make it, and its slot is free again', async () => {
    const ctx = app('given-up');
    const { time, onDay, row } = await unknown('before', ctx);
    await resolve(row.id);
    expect((await rowAt(time))!.status).toBe('failed');
    expect(await claimsOf(clinic.ctx, row.id)).toHaveLength(0);
    expect((await free(onDay)).map(({ from_date }) => from_date)).toContain(time);
    const retried = await bookAppointment(retryOf(ctx), wish(time));
    expect(retried.id).toBe(row.id);
    expect(bookedAt(time)).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)('is found next to an unreadable appointment (lost %s)', async (effect) => {
    const { times } = await freeTimes();
    const { provider_appointment_id } = await bookAppointment(app(), wish(times[4]!));
    const neighbour = clinic.acuity.booked().find((one) => one.id === provider_appointment_id)!;
    const { typeName } = neighbour;
    Object.assign(neighbour, { typeName: 7 });
    await clinic.acuity.fault(`${LOST}_${effect}`, BOOK);
    const booking = bookAppointment(impatient(), wish(times[0]!));
    if (effect === 'after') expect(await booking).toMatchObject({ status: 'scheduled' });
    else expect(await errorOf(booking)).toMatchObject({ meta: { outcome: 'unknown' } });
    const row = (await rowAt(times[0]!))!;
    // All appointments must be readable before the service can conclude that it was not made.
    if (effect === 'before') await expect(resolve(row.id)).rejects.toThrow('Acuity');
    Object.assign(neighbour, { typeName });
    await resolve(row.id);
    expect((await rowAt(times[0]!))!.status).toBe(effect === 'after' ? 'scheduled' : 'failed');
  });

  test('stays pending while Acuity is unreachable', async () => {
    const { time, row } = await unknown('after', app());
    await clinic.acuity.fault('503', LOOK_UP);
    await expect(resolve(row.id)).rejects.toThrow('Acuity');
    expect((await rowAt(time))!.status).toBe('pending');
  });
});

test('a process that crashes after its call leaves a booking that a retry and the job find', async () => {
  const { times } = await freeTimes();
  const ctx = app('crashed');
  const view = await bookAppointment(ctx, wish(times[0]!));
  const { id } = view;
  // The state after such a crash: Acuity's booking and the local intent, without a result.
  await clinic.ctx.db.appointment.updateMany({
    where: { id },
    data: { status: 'pending', providerAppointmentId: null, version: 0 },
  });
  // A retry with the same Idempotency-Key took over the lease, so it looks up at once.
  expect(await bookAppointment(retryOf(ctx), wish(times[0]!))).toMatchObject({
    id,
    provider_appointment_id: view.provider_appointment_id,
  });
  expect(bookedAt(times[0]!)).toHaveLength(1);
});

test('a run returns the booking that another run resumed and made when Acuity rejects its own call', async () => {
  const { times } = await freeTimes();
  const ctx = app('taken-over');
  const realFetch = globalThis.fetch;
  let continueCall = () => {};
  const held = new Promise<void>((resolve) => {
    globalThis.fetch = async (input, init) => {
      // Acuity's simulated webhooks are sent from this process too.
      if (init?.method === 'POST' && String(input).startsWith(clinic.services.config.acuity.apiUrl)) {
        globalThis.fetch = realFetch;
        await new Promise<void>((release) => {
          continueCall = release;
          resolve();
        });
      }
      return realFetch(input, init);
    };
  });
  const first = bookAppointment(ctx, wish(times[0]!));
  await held;
  const resumed = await bookAppointment(retryOf(ctx), wish(times[0]!));
  continueCall();
  expect(await first).toEqual(resumed);
  expect(bookedAt(times[0]!)).toHaveLength(1);
  expect(await getAppointment(app(), { id: resumed.id })).toMatchObject({ status: 'scheduled' });
});

describe('a reschedule with an unknown outcome', () => {
  const begin = async (effect: 'before' | 'after', lost = LOST) => {
    const { times, onDay } = await freeTimes();
    const booked = await bookAppointment(app(), wish(times[0]!));
    await clinic.acuity.fault(`${lost}_${effect}`, MOVE);
    return { booked, times, onDay };
  };

  test('is looked up at once', async () => {
    const { booked, times } = await begin('after', 'timeout');
    const moved = await rescheduleAppointment(impatient(), { id: booked.id, from_date: times[3]! });
    expect(moved).toMatchObject({ id: booked.id, video_call_url: booked.video_call_url, from_date: times[3] });
    expect(await claimsOf(clinic.ctx, booked.id)).toMatchObject([{ startAt: new Date(times[3]!) }]);
  });

  test('holds both slots until the outcome is known, and a retry completes it', async () => {
    const { booked, times, onDay } = await begin('before');
    await clinic.acuity.fault('503', READ);
    const error = await errorOf(rescheduleAppointment(impatient(), { id: booked.id, from_date: times[3]! }));
    expect(error.code).toBe(LOST_CODE);
    expect(await claimsOf(clinic.ctx, booked.id)).toHaveLength(2);
    const offered = (await free(onDay)).map(({ from_date }) => from_date);
    expect(offered).not.toContain(times[0]);
    expect(offered).not.toContain(times[3]);
    const elsewhere = rescheduleAppointment(app(), { id: booked.id, from_date: times[5]! });
    expect((await errorOf(elsewhere)).code).toBe('conflict');
    await rescheduleAppointment(app(), { id: booked.id, from_date: times[3]! });
    expect(await claimsOf(clinic.ctx, booked.id)).toMatchObject([{ startAt: new Date(times[3]!) }]);
    expect((await free(onDay)).map(({ from_date }) => from_date)).toContain(times[0]);
  });

  test.each(['before', 'after'] as const)('is resolved by the job (lost %s)', async (effect) => {
    const { booked, times } = await begin(effect);
    await clinic.acuity.fault('503', READ);
    await errorOf(rescheduleAppointment(impatient(), { id: booked.id, from_date: times[3]! }));
    await resolve(booked.id);
    const time = effect === 'after' ? times[3]! : times[0]!;
    expect(await getAppointment(app(), { id: booked.id })).toMatchObject({ from_date: time, status: 'scheduled' });
    expect(await claimsOf(clinic.ctx, booked.id)).toMatchObject([{ startAt: new Date(time) }]);
    expect(bookedAt(time)).toHaveLength(1);
  });
});

describe('a cancellation with an unknown outcome', () => {
  test.each(['before', 'after'] as const)('can be repeated (lost %s)', async (effect) => {
    const { times, onDay } = await freeTimes();
    const { id } = await bookAppointment(app(), wish(times[0]!));
    await clinic.acuity.fault(`timeout_${effect}`, CANCEL);
    await clinic.acuity.fault('503', READ);
    const error = await errorOf(cancelAppointment(impatient(), { id }));
    expect(error).toMatchObject({ code: 'provider_timeout', detail: expect.stringContaining('safe') });
    expect(await cancelAppointment(app(), { id })).toMatchObject({ status: 'canceled' });
    expect((await free(onDay)).map(({ from_date }) => from_date)).toContain(times[0]);
  });

  test.each(['before', 'after'] as const)('is resolved by the job as well (lost %s)', async (effect) => {
    const { times } = await freeTimes();
    const { id } = await bookAppointment(app(), wish(times[0]!));
    await clinic.acuity.fault(`${LOST}_${effect}`, CANCEL);
    await clinic.acuity.fault('503', READ);
    await errorOf(cancelAppointment(impatient(), { id }));
    await resolve(id);
    const status = effect === 'after' ? 'canceled' : 'scheduled';
    expect(await getAppointment(app(), { id })).toMatchObject({ status });
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(effect === 'after' ? 0 : 1);
  });
});

describe('Acuity failures', () => {
  test('are named with instructions, and no claim is left', async () => {
    const { times } = await freeTimes();
    const claims = await clinic.ctx.db.slotClaim.count();
    await clinic.acuity.fault('429', BOOK, 3);
    const error = await errorOf(bookAppointment(app(), wish(times[0]!)));
    expect(error).toMatchObject({ code: 'provider_unavailable', detail: expect.stringMatching(/Acuity.*safe/) });
    expect(await clinic.ctx.db.slotClaim.count()).toBe(claims);
    await bookAppointment(app(), wish(times[0]!));
  });

  test.each([
    ['429', 'none'],
    ['500', 'provider_error'],
    ['503', 'provider_unavailable'],
    ['timeout_before', 'provider_timeout'],
    ['reset_before', 'provider_unavailable'],
    ['wrong_schema', 'provider_error'],
    ['truncated', 'provider_unavailable'],
  ])('on an availability query that returns %s', async (kind, code) => {
    await clinic.acuity.fault(kind, { method: 'GET', path: '/api/v1/availability/times' });
    const day = clinic.nextDay();
    const of = { appointment_type_id: FOLLOW_UP, calendar_id: ROWAN, from_date: day, to_date: day };
    const listing = listAvailability(kind === 'timeout_before' ? impatient() : app(), of);
    if (code === 'none') expect((await listing).items.length).toBeGreaterThan(0);
    else expect(await errorOf(listing)).toMatchObject({ code, detail: expect.stringContaining('Acuity') });
  });
});

test('pending changes wait after a disconnect for a new connection until the appointment is over, and then end', async () => {
  const { times } = await freeTimes();
  const { id } = await makePatient(clinic);
  const appointment = await bookAppointment(app(), { ...wish(times[0]!), patient_id: id });
  await clinic.acuity.fault(`${LOST}_before`, MOVE);
  await clinic.acuity.fault('503', READ);
  await errorOf(rescheduleAppointment(impatient(), { id: appointment.id, from_date: times[2]! }));
  await clinic.acuity.fault(`${LOST}_before`, BOOK);
  await clinic.acuity.fault('503', LOOK_UP);
  await errorOf(bookAppointment(impatient(), { ...wish(times[5]!), patient_id: id }));
  await disconnectAcuity(asAdmin(clinic.services, clinic.tenant), { account_id: clinic.acuity.account.user_id });
  const rows = await listLiveAppointments(clinic.ctx.db, clinic.ctx, id);
  expect(rows).toHaveLength(2);
  for (const row of rows) await resolve(row.id);
  expect(await listLiveAppointments(clinic.ctx.db, clinic.ctx, id)).toEqual(rows);
  const jobs = await clinic.ctx.db.$queryRaw<{ at: Date }[]>`
    select run_at as at from graphile_worker._private_jobs
    where key = any(${rows.map((row) => `resolve_appointment:${row.id}`)}::text[]) order by run_at`;
  expect(jobs.map(({ at }) => at)).toEqual(rows.map(({ endAt }) => endAt));
  const clock = { now: () => rows[1]!.endAt };
  for (const row of rows)
    await resolveAppointment({ ...clinic.services, clock }, { tenantId: clinic.tenant.id, appointmentId: row.id });
  expect(await listLiveAppointments(clinic.ctx.db, { ...clinic.ctx, clock }, id)).toEqual([]);
});
