import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPatient, asPractitioner, countReplays, withKey } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, errorOf, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const staff = () => countReplays(asPractitioner(clinic.services, clinic.tenant));
async function newWish(more: object = { calendar_id: ROWAN }) {
  const { id } = await makePatient(clinic);
  const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
  return clinic.wish(slot!.from_date, { patient_id: id, ...more });
}
const bookedFor = (patientId: string) => clinic.ctx.db.appointment.count({ where: { patientId } });
const later = (ctx: Context, ms: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(Date.now() + ms) },
});

describe('an equal request without an Idempotency-Key', () => {
  test('returns the appointment that the first one booked', async () => {
    const wish = await newWish({ calendar_id: ROWAN, metadata: { a: 1, b: { c: 2 } } });
    const { ctx, counts } = staff();
    const first = await bookAppointment(ctx, wish);
    expect(counts.replays).toBe(0);
    const repeated = { ...wish, from_date: new Date(wish.from_date).toISOString(), metadata: { b: { c: 2 }, a: 1 } };
    expect(await bookAppointment(ctx, repeated)).toEqual(first);
    expect(counts.replays).toBe(1);
    expect(await bookedFor(wish.patient_id)).toBe(1);
  });

  test.each([
    ['of one calendar', { calendar_id: ROWAN }],
    ['of any', {}],
  ])('ten at once book one appointment, %s, and all return it', async (_, more) => {
    const wish = await newWish(more);
    const { ctx, counts } = staff();
    const views = await Promise.all(Array.from({ length: 10 }, () => bookAppointment(ctx, wish)));
    expect(new Set(views.map(({ id }) => id)).size).toBe(1);
    expect(counts.replays).toBe(9);
    expect(await bookedFor(wish.patient_id)).toBe(1);
  });

  test('finds the appointment whose response from Acuity was lost', async () => {
    const wish = await newWish();
    const { ctx } = staff();
    await clinic.acuity.fault('timeout_after', { method: 'POST', path: '/api/v1/appointments' });
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/appointments' });
    expect((await errorOf(bookAppointment(withProviderTimeout(ctx), wish))).code).toBe('provider_timeout');
    await bookAppointment(ctx, wish);
    expect(await bookedFor(wish.patient_id)).toBe(1);
    expect(clinic.acuity.booked().filter(({ startAt }) => startAt === Date.parse(wish.from_date))).toHaveLength(1);
  });

  test('counts as new when the first was canceled or is older than ten minutes', async () => {
    const wish = await newWish();
    const { ctx, counts } = staff();
    const first = await bookAppointment(ctx, wish);
    await cancelAppointment(ctx, { id: first.id });
    const second = await bookAppointment(ctx, wish);
    expect(second.id).not.toBe(first.id);
    expect(counts.replays).toBe(0);
    expect((await bookAppointment(later(ctx, 9 * MINUTE), wish)).id).toBe(second.id);
    expect((await errorOf(bookAppointment(later(ctx, 11 * MINUTE), wish))).code).toBe('slot_taken');
  });

  test('counts as new with another credential, other input or a new Idempotency-Key', async () => {
    const wish = await newWish();
    const { ctx, counts } = staff();
    const first = await bookAppointment(ctx, wish);
    const others: [Context, object][] = [
      [asPractitioner(clinic.services, clinic.tenant), {}],
      [asPatient(clinic.services, clinic.tenant, wish.patient_id), {}],
      [ctx, { metadata: { note: 'other' } }],
      [withKey(ctx, 'never-seen'), {}],
    ];
    for (const [other, more] of others)
      expect((await errorOf(bookAppointment(other, { ...wish, ...more }))).code).toBe('slot_taken');
    expect(counts.replays).toBe(0);
    expect((await bookAppointment(ctx, wish)).id).toBe(first.id);
  });
});

describe('an Idempotency-Key', () => {
  test('returns its booking, even a canceled one, and only for the same request', async () => {
    const wish = await newWish();
    const ctx = withKey(asApplication(clinic.services, clinic.tenant), 'mine');
    const first = await bookAppointment(ctx, wish);
    await cancelAppointment(ctx, { id: first.id });
    expect(await bookAppointment(ctx, wish)).toMatchObject({ id: first.id, status: 'canceled' });
    for (const more of [{ calendar_id: ALDER }, { patient_id: (await makePatient(clinic)).id }])
      expect((await errorOf(bookAppointment(ctx, { ...wish, ...more }))).code).toBe('idempotency_key_reused');
  });
});
