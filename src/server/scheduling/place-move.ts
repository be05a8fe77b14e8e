import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { OUTCOME_UNKNOWN, refuse } from '#server/core/errors.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { type Acuity, type AcuityAppointment, AcuityError } from '#server/providers/acuity.ts';
import type { PendingChange } from './appointment-row.ts';
import { spoilDays } from './availability-days.ts';
import { convergeAppointment } from './converge-appointment.ts';
import type { Offer } from './find-in-catalogue.ts';
import { reflectRemote } from './reflect-remote.ts';
import { giveUp } from './resolve-appointment.ts';
import { slotNotOffered } from './slot-refusals.ts';

/**
 * Puts a move to Acuity. Null when Acuity has given the new time to somebody else; whenever nothing was moved, only the
 * new claim is dropped. An unknown outcome is looked up at once, else it stays begun with both times held.
 */
export async function placeMove(
  ctx: Context,
  acuity: Acuity,
  row: Appointment,
  startAt: Date,
  { catalogue, quiet }: Offer & { quiet: boolean },
): Promise<Appointment | null> {
  const providerId = row.providerAppointmentId!;
  let remote: AcuityAppointment;
  try {
    remote = await acuity.reschedule(providerId, stamp(toMinute(startAt), row.timeZone), { quiet });
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    if (error.effect === 'none') return giveBack(ctx, acuity, row, startAt, error);
    const found = await acuity.appointment(providerId).catch(() => null);
    if (found?.startAt.getTime() !== startAt.getTime()) throw await keepBegun(ctx, row, error);
    remote = found;
  }
  const after =
    (await reflectRemote(ctx, row, remote, catalogue.calendars)) ??
    (await convergeAppointment(ctx, acuity, providerId));
  if (after?.status !== 'scheduled') throw refuse('not_reschedulable', 'It has been canceled meanwhile.');
  return after;
}

async function giveBack(
  ctx: Context,
  acuity: Acuity,
  row: Appointment,
  startAt: Date,
  error: AcuityError,
): Promise<null> {
  await giveUp(ctx, row, row.status);
  const refusal = error.refusal ?? '';
  if (refusal.startsWith('not_available'))
    await spoilDays(ctx, [{ calendarId: row.calendarId, at: toMinute(startAt), timeZone: row.timeZone }]);
  switch (refusal) {
    case 'not_available':
      return null;
    case 'not_available_min_hours_in_advance':
    case 'not_available_max_days_in_advance':
      throw slotNotOffered();
    case 'reschedule_too_close':
      throw refuse('too_late', 'It is too late to move this appointment; Acuity is set to refuse it.');
    case 'reschedule_not_allowed':
    case 'reschedule_series':
      throw refuse('not_reschedulable', 'Acuity is set to refuse that this appointment is moved.');
    case 'reschedule_canceled':
    case 'not_found':
      await convergeAppointment(ctx, acuity, row.providerAppointmentId!);
      throw refuse('not_reschedulable', 'It has been canceled in Acuity.');
    default:
      throw error;
  }
}

async function keepBegun(ctx: Context, row: Appointment, error: AcuityError): Promise<Error> {
  const pendingChange = { ...(row.pendingChange as PendingChange), unknown: true };
  await ctx.db.appointment.updateMany({
    where: { tenantId: ctx.tenantId, id: row.id, version: row.version },
    data: { pendingChange, version: { increment: 1 }, updatedAt: ctx.clock.now() },
  });
  return refuse(
    error.code,
    'Acuity did not say whether it moved the appointment. Both times stay held until that is known, within about two minutes. It is safe to send the same request again.',
    {
      people: 'We are checking with Acuity whether the visit is moved. Both times are held meanwhile.',
      meta: OUTCOME_UNKNOWN,
    },
  );
}
