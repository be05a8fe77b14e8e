import type { AppointmentView, BookAppointmentInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { toMinute } from '#server/core/zone.ts';
import { assertInCare } from '#server/patients/assert-in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { beginBooking } from './begin-booking.ts';
import { drawOrder } from './draw-order.ts';
import { findBookable } from './find-bookable.ts';
import { offeredCalendars } from './offered-calendars.ts';
import { placeBooking } from './place-booking.ts';
import { presentAppointment } from './present-appointment.ts';
import { findEarlier, resumeBooking } from './resume-booking.ts';
import { slotNotOffered, slotTaken } from './slot-refusals.ts';

/**
 * Books an offered time for a patient. The claim is taken and committed before Acuity is called, so that two callers
 * never get one time; Acuity has the last word. Without a calendar the free ones are tried in a random order.
 *
 * Errors: 404 another's patient; 422 `patient_archived`, `invalid_parameter` (type, calendar), `slot_not_offered`,
 * `integration_misconfigured` (Location form), `integration_not_connected`; 409 `slot_taken` with up to three
 * `meta.alternatives`; 502, 503, 504 naming Acuity and whether a retry is safe.
 */
export async function bookAppointment(ctx: Context, input: BookAppointmentInput): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const patient = await loadPatientFor(ctx, input.patient_id);
  const at = new Date(input.from_date);
  const start = toMinute(at);
  const earlier = await findEarlier(ctx, input, start);
  const resumed = earlier && (await resumeBooking(ctx, earlier));
  if (resumed && 'done' in resumed) return presentAppointment(ctx, resumed.done);
  assertInCare(patient);

  const offer = await findBookable(ctx, input);
  const placing = { ...offer, patient };
  if (resumed) {
    const booked = await placeBooking(ctx, resumed.again, placing);
    if (booked) return presentAppointment(ctx, booked);
  }
  if (at.getTime() % 60_000 !== 0) throw slotNotOffered();
  for (const calendar of drawOrder(await offeredCalendars(ctx, offer, start))) {
    const row = await beginBooking(ctx, input, { type: offer.type, calendar, start });
    const booked = row && (await placeBooking(ctx, row, placing));
    if (booked) return presentAppointment(ctx, booked);
  }
  throw await slotTaken(ctx, offer, start);
}
