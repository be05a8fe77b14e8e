import type { AppointmentView } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { OUTCOME_UNKNOWN, refuse } from '#server/core/errors.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { type Acuity, type AcuityAppointment, AcuityError } from '#server/providers/acuity.ts';
import { takeAnswer } from '../acuity-sync/sync-appointment.ts';
import {
  giveUp,
  loadAppointment,
  type PendingChange,
  presentAppointment,
  resolveLater,
} from '../appointments/appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';

/**
 * Cancels at Acuity and frees the time at once. Canceling again, or what Acuity's console canceled, gives the same
 * answer; so does what Acuity has no record of, for it takes place no more. Errors: 404; 422 `too_late` once it is over; 502, 503, 504 naming Acuity, after which a retry is safe.
 */
export async function cancelAppointment(ctx: Context, { id }: { id: string }): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:write');
  const loaded = await loadAppointment(ctx, id);
  if (loaded.status !== 'scheduled') return presentAppointment(ctx, loaded);
  if (loaded.endAt <= ctx.clock.now()) throw refuse('too_late', 'This appointment is over and cannot be canceled.');
  const providerId = loaded.providerAppointmentId!;
  const { acuity } = await getAcuityAccount(ctx);
  const { calendars } = await getCatalogue(ctx);
  const row = await begin(ctx, loaded);
  let remote: AcuityAppointment;
  try {
    remote = await acuity.cancel(providerId, { quiet: loaded.quiet });
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    remote = await afterwards(ctx, acuity, row, error);
  }
  const after = await takeAnswer(ctx, acuity, row, { remote, calendars });
  return presentAppointment(ctx, after ?? loaded);
}

/** The intent. A move that is under way keeps its own, which ends with the cancellation too. */
async function begin(ctx: Context, { id, version }: Appointment): Promise<Appointment> {
  return ctx.db.$transaction(async (tx) => {
    const intent = { kind: 'cancel', unknown: false } satisfies PendingChange;
    await tx.$executeRaw`
      update appointments set pending_change = coalesce(pending_change, ${JSON.stringify(intent)}::jsonb),
        version = version + 1, updated_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenantId}::uuid and id = ${id}::uuid and version = ${version} and status = 'scheduled'`;
    await resolveLater(tx, ctx, id);
    return tx.appointment.findFirstOrThrow({ where: { tenantId: ctx.tenantId, id } });
  });
}

/** Canceling is repeatable, so an unknown outcome is looked up once and otherwise left to the caller's retry. */
async function afterwards(
  ctx: Context,
  acuity: Acuity,
  row: Appointment,
  error: AcuityError,
): Promise<AcuityAppointment> {
  if (error.effect === 'unknown') {
    const remote = await acuity.appointment(row.providerAppointmentId!).catch(() => null);
    if (remote?.canceled) return remote;
    throw refuse(error.code, 'Acuity did not say whether it canceled the appointment. It is safe to cancel it again.', {
      people: 'We are checking with Acuity whether the visit is canceled.',
      meta: OUTCOME_UNKNOWN,
    });
  }
  if (error.refusal === 'not_found' && !(await acuity.appointment(row.providerAppointmentId!))) return asCanceled(row);
  await giveUp(ctx, row, row.status);
  throw error;
}

/** Our row in Acuity's terms, for one that Acuity has lost: as if it had been canceled there. */
const asCanceled = (row: Appointment): AcuityAppointment => ({
  id: row.providerAppointmentId!,
  email: null,
  startAt: row.startAt,
  durationMinutes: (row.endAt.getTime() - row.startAt.getTime()) / MINUTE,
  typeId: row.appointmentTypeId,
  type: row.appointmentType,
  calendarId: row.calendarId,
  calendar: row.calendar,
  timeZone: row.timeZone,
  canceled: true,
  noShow: false,
  answers: [],
});
