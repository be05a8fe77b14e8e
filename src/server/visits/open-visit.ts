import type { EntryCheck, VisitView } from '#contract/visits.ts';
import type { Appointment, Tenant } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { windowOf } from './visit.ts';

/**
 * Returns the data of the page behind a video link. The link is the only credential, so the data says nothing about the
 * patient or the reason for the appointment.
 *
 * @throws 404 for an unknown link.
 */
export async function openVisit(ctx: Context, { token }: { token: string }): Promise<VisitView> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A visit is opened from its link.');
  const { appointment, tenant } = await findAppointmentByToken(ctx, token);
  const now = ctx.clock.now();
  const { opensAt, closesAt } = windowOf(appointment);
  return {
    clinic: tenant.name,
    phone: tenant.supportPhone,
    practitioner: appointment.calendar,
    from_date: stamp(toMinute(appointment.startAt), appointment.timeZone),
    to_date: stamp(toMinute(appointment.endAt), appointment.timeZone),
    time_zone: appointment.timeZone,
    opens_at: opensAt.toISOString(),
    closes_at: closesAt.toISOString(),
    status: statusOf(appointment, closesAt <= now),
    is_moved: await isMoved(ctx, appointment),
    asks: tenant.visitCheck === 'none' ? [] : [tenant.visitCheck as EntryCheck],
    now: now.toISOString(),
  };
}

/** A patient who opens the link at the former time has to see why the room is closed. */
async function isMoved({ db, tenantId }: Context, { id, createdAt }: Appointment): Promise<boolean> {
  const move = await db.auditEntry.findFirst({
    where: {
      ...{ tenantId, objectType: 'Appointment', objectId: id, event: 'appointment.rescheduled' },
      createdAt: { gte: createdAt },
    },
    select: { id: true },
  });
  return move !== null;
}

/** A patient who did not come sees that the visit is over: nothing was canceled. */
const statusOf = ({ status }: Pick<Appointment, 'status'>, isClosed: boolean): VisitView['status'] =>
  status === 'canceled' ? 'canceled' : status !== 'scheduled' || isClosed ? 'over' : 'scheduled';

/**
 * Finds the appointment and tenant of a video token.
 *
 * @throws 404 for an unknown link.
 */
export async function findAppointmentByToken(
  ctx: Context,
  token: string,
): Promise<{ appointment: Appointment; tenant: Tenant }> {
  const appointment = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, videoToken: token, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  if (appointment) ctx.trail.patients.add(appointment.patientId);
  const tenant = appointment && (await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId } }));
  if (!appointment || !tenant) throw notFound('visit');
  return { appointment, tenant };
}
