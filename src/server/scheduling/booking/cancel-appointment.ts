import type { AppointmentView, CancelAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { assertOwner } from '#server/patients/index.ts';
import { loadAppointment, presentAppointment } from '../appointments/appointment.ts';
import { endAppointment } from './end-appointment.ts';

/**
 * Cancels the appointment at the provider and frees the slot. The reason is stored and becomes the note at the provider,
 * unless that would tell it to a patient who is not to be told. Repeated calls return the same response, also when the
 * appointment was canceled in the provider's console or deleted there. An appointment at an account that is no longer
 * connected is canceled only locally.
 *
 * @throws 404; 409 `conflict` for a no-show and a completed one; 422 `too_late` once it is over; 502, 503, 504 naming
 * the provider, after which a retry is safe.
 */
export async function cancelAppointment(
  ctx: Context,
  { id, patient_id, reason, tell_patient = true }: CancelAppointmentInput,
): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const loaded = await loadAppointment(ctx, id);
  assertOwner(loaded, patient_id);
  assertNotOver(loaded);
  if (loaded.status === 'canceled') return presentAppointment(ctx, loaded);
  if (loaded.endAt <= ctx.clock.now())
    throw apiError('too_late', 'This appointment is over and cannot be canceled.', {
      people: 'This appointment is over and cannot be canceled. If the patient did not come, note that instead.',
    });
  // A patient's own reason stays theirs to read.
  const told = tell_patient || ctx.actor.kind === 'patient';
  const after = (await endAppointment(ctx, loaded, { text: reason, told })) ?? loaded;
  // Marked by another request in the meantime.
  assertNotOver(after);
  return presentAppointment(ctx, after);
}

function assertNotOver({ status, completedAt }: Appointment): void {
  if (status === 'no_show')
    throw apiError('conflict', 'It was noted that the patient did not come, so there is nothing to cancel any more.');
  if (status === 'scheduled' && completedAt)
    throw apiError('conflict', 'It was noted that this appointment has taken place, so it cannot be canceled.');
}
