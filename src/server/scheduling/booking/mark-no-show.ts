import type { AppointmentView } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { loadAppointment, presentAppointment } from '../appointments/appointment.ts';
import { endAppointment } from './end-appointment.ts';

/**
 * Marks locally and at the provider that the patient did not come. Idempotent. At the provider this is a cancellation
 * with a no-show flag; it sends no email and cannot be undone. The event is `appointment.changed`. Not available to
 * patients.
 *
 * @throws 404; 422 `too_early` before the start; 409 `already_canceled`; 502, 503, 504 naming the provider, after which
 * a retry is safe.
 */
export async function markNoShow(ctx: Context, { id }: { id: string }): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write', { patients: false });
  const loaded = await loadAppointment(ctx, id);
  if (loaded.status === 'no_show') return presentAppointment(ctx, loaded);
  if (loaded.status === 'canceled') throw wasCanceled();
  if (loaded.startAt > ctx.clock.now())
    throw apiError('too_early', 'This appointment has not begun, so the patient can still come.', {
      people: 'This appointment has not begun yet, so the patient can still come.',
    });
  const after = await endAppointment(ctx, loaded, { as: 'no_show' });
  // The appointment was canceled in the provider's console first.
  if (after?.status === 'canceled') throw wasCanceled();
  return presentAppointment(ctx, after ?? loaded);
}

const wasCanceled = () =>
  apiError('already_canceled', 'This appointment was canceled, so the patient was not expected to come.', {
    people: 'This appointment was canceled, so the patient was not expected to come.',
  });
