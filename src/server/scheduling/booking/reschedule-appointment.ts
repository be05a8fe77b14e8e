import type { AppointmentView, RescheduleAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError, refuse } from '#server/core/errors.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { loadAppointment } from '../appointments/appointment-row.ts';
import { presentAppointment } from '../appointments/present-appointment.ts';
import { readOverlap } from '../appointments/slot-claims.ts';
import { requireOfferedMove } from '../availability/require-offered-move.ts';
import { slotNotOffered, slotPassed, slotTaken } from '../availability/slot-refusals.ts';
import { findInCatalogue, type Offer } from '../catalogue/find-in-catalogue.ts';
import { beginMove } from './begin-move.ts';
import { placeMove } from './place-move.ts';

/**
 * Moves an appointment to another offered time of the same calendar; id and video link stay. The new time is claimed
 * beside the old one before Acuity is called, and the old one is released in the transaction that records the move, so
 * that at each moment at least one of them is held.
 *
 * Errors: 404; 422 `not_reschedulable` (canceled, past, or against Acuity's rules), `too_late`, `slot_not_offered`,
 * `patient_archived`; 409 `slot_taken` with alternatives, `conflict` while another change of it runs or
 * when another visit of the patient is at that time, unless staff say `allow_overlap`; 502, 503, 504 naming Acuity.
 */
export async function rescheduleAppointment(ctx: Context, input: RescheduleAppointmentInput): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const overlap = readOverlap(ctx, input);
  const row = await loadAppointment(ctx, input.id);
  refuseIfSettled(ctx, row);
  const startAt = new Date(input.from_date);
  // A retry of a move that has been made.
  if (startAt.getTime() === row.startAt.getTime() && !row.pendingChange) return presentAppointment(ctx, row);
  if (startAt <= ctx.clock.now()) throw slotPassed();
  if (startAt.getTime() % 60_000 !== 0) throw slotNotOffered();

  const offer = await findOffer(ctx, row);
  const { acuity } = await getAcuityAccount(ctx);
  await requireOfferedMove(ctx, acuity, offer, row, startAt);
  const begun = await beginMove(ctx, row, startAt, overlap);
  const moved = begun && (await placeMove(ctx, acuity, begun, startAt, { ...offer, quiet: row.quiet }));
  if (moved) return presentAppointment(ctx, moved);
  throw await slotTaken(ctx, offer, Math.floor(startAt.getTime() / 60_000));
}

function refuseIfSettled(ctx: Context, row: Appointment): void {
  if (row.status !== 'scheduled') throw refuse('not_reschedulable', 'A canceled appointment cannot be moved.');
  if (row.startAt <= ctx.clock.now()) throw refuse('not_reschedulable', 'This appointment has begun or is over.');
}

async function findOffer(ctx: Context, row: Appointment): Promise<Offer> {
  try {
    return await findInCatalogue(ctx, { appointment_type_id: row.appointmentTypeId, calendar_id: row.calendarId });
  } catch (error) {
    if (!(error instanceof CarelaneError) || error.code !== 'invalid_parameter') throw error;
    throw refuse('not_reschedulable', 'Its type or calendar is no longer offered. Cancel it and book another.');
  }
}
