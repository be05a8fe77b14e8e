import type { AppointmentView, BookAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { askedBy } from '#server/core/same-request.ts';
import { toMinute } from '#server/core/zone.ts';
import { assertInCare } from '#server/patients/assert-in-care.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { presentAppointment } from '../appointments/present-appointment.ts';
import { readOverlap } from '../appointments/slot-claims.ts';
import { offeredCalendars } from '../availability/offered-calendars.ts';
import { slotNotOffered, slotTaken } from '../availability/slot-refusals.ts';
import { findBookable } from '../catalogue/find-bookable.ts';
import { beginBooking, findSame } from './begin-booking.ts';
import { inRandomOrder } from './in-random-order.ts';
import { placeBooking } from './place-booking.ts';
import { findEarlier, resumeBooking } from './resume-booking.ts';

/**
 * Books an offered time for a patient. The claim is taken and committed before Acuity is called, so that two callers
 * never get one time; Acuity has the last word. Without a calendar the free ones are tried in a random order.
 *
 * Errors: 404 another's patient; 422 `patient_archived`, `invalid_parameter` (type, calendar), `slot_not_offered`,
 * `integration_misconfigured` (Location form), `integration_not_connected`; 409 `slot_taken` with up to three
 * `meta.alternatives`, `conflict` when another visit of the patient is at that time, unless staff say `allow_overlap`; 502, 503, 504 naming Acuity and whether a retry is safe.
 */
export async function bookAppointment(ctx: Context, input: BookAppointmentInput): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const overlap = readOverlap(ctx, input);
  const patient = await loadPatientFor(ctx, input.patient_id);
  const at = new Date(input.from_date);
  const start = toMinute(at);
  const asked = askedBy(ctx, 'appointments.book', { ...input, from_date: at.getTime() });
  const wish = { input, asked, overlap };
  let offer: Awaited<ReturnType<typeof findBookable>> | null = null;
  const findOffer = async () => {
    assertInCare(patient);
    offer ??= await findBookable(ctx, input);
    return offer;
  };

  /** What came of a booking that was begun before this request. */
  const takeUp = async (earlier: Appointment): Promise<Appointment | null> => {
    const resumed = await resumeBooking(ctx, earlier, overlap);
    if (!resumed) return null;
    if ('again' in resumed) return placeBooking(ctx, resumed.again, { ...(await findOffer()), patient });
    ctx.onReplay();
    return resumed.done;
  };

  const bookAnew = async (): Promise<Appointment> => {
    const bookable = await findOffer();
    if (at.getTime() % 60_000 !== 0) throw slotNotOffered();
    for (const calendar of inRandomOrder(await offeredCalendars(ctx, bookable, start))) {
      const intent = await beginBooking(ctx, wish, { type: bookable.type, calendar, start });
      if (!intent) continue;
      const booked =
        'same' in intent ? await takeUp(intent.same) : await placeBooking(ctx, intent.begun, { ...bookable, patient });
      if (booked) return booked;
    }
    throw await slotTaken(ctx, bookable, start);
  };

  const earlier = await findEarlier(ctx, input, { asked, start });
  const known = earlier && (await takeUp(earlier));
  if (known) return presentAppointment(ctx, known);
  try {
    return presentAppointment(ctx, await bookAnew());
  } catch (error) {
    // Perhaps it was an equal request that took the time a moment ago.
    const isTaken = error instanceof CarelaneError && error.code === 'slot_taken';
    const same = isTaken && !ctx.keyed ? await findSame(ctx.db, ctx, asked) : null;
    const booked = same && (await takeUp(same));
    if (!booked) throw error;
    return presentAppointment(ctx, booked);
  }
}
