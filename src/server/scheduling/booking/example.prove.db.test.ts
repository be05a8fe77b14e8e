import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { bookAppointment } from './book-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic?.stop());

test('returns slot_taken with alternatives when the slot is booked', async () => {
  const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
  const input = clinic.wish(slot!.from_date, { calendar_id: ROWAN });
  const booked = await bookAppointment(clinic.app(), input);
  expect(booked).toMatchObject({ status: 'scheduled', calendar_id: ROWAN });

  const { id: patient_id } = await makePatient(clinic);
  const error = await errorOf(bookAppointment(clinic.app(), { ...input, patient_id }));
  expect(error).toMatchObject({ code: 'slot_taken', meta: { alternatives: expect.any(Array) } });
  expect(await clinic.ctx.db.appointment.count({ where: { patientId: patient_id } })).toBe(0);
});
