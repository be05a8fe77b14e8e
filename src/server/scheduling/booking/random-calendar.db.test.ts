import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, JUNIPER, ROWAN } from '#dev/testing/scheduling.ts';
import { bookAppointment } from './book-appointment.ts';

/** 40 bookings show that each calendar is drawn; showing that the draw is even takes the long run. */
const LONG = Boolean(process.env.PROVE);
const BOOKINGS = LONG ? 6_000 : 40;
/** Critical chi-square value for two degrees of freedom: a fair draw exceeds it once in 10,000 runs. */
const FAIR = 18.42;

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true, env: { ACUITY_RENEW_SECONDS: '86400' } }));
});
afterAll(() => clinic.stop());

test(`${BOOKINGS} bookings without a calendar are spread evenly over the free calendars`, async () => {
  const { db } = clinic.ctx;
  const free = await clinic.free(clinic.nextDay());
  const offers = (slot: (typeof free)[number]) =>
    free.filter(({ from_date }) => Date.parse(from_date) === Date.parse(slot.from_date)).length;
  const slot = free.find((one) => offers(one) === 3)!;
  const drawn = new Map([ROWAN, ALDER, JUNIPER].map((id) => [id, 0]));
  for (let n = 0; n < BOOKINGS; n += 1) {
    const { calendar_id } = await bookAppointment(clinic.app(), clinic.wish(slot.from_date));
    drawn.set(calendar_id, drawn.get(calendar_id)! + 1);
    // Resets the state before the next draw.
    clinic.acuity.booked().length = 0;
    await db.slotClaim.deleteMany({});
    await db.appointment.deleteMany({});
  }
  const expected = BOOKINGS / drawn.size;
  const chiSquare = [...drawn.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  console.info(`draws: ${JSON.stringify([...drawn])}, chi-square ${chiSquare.toFixed(2)}`);
  expect(Math.min(...drawn.values())).toBeGreaterThan(0);
  if (LONG) expect(chiSquare).toBeLessThan(FAIR);
}, 1_200_000);
