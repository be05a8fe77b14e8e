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
  const { visit, tenant } = await findVisitByToken(ctx, token);
  const now = ctx.clock.now();
  const { opensAt, closesAt } = windowOf(visit);
  return {
    clinic: tenant.name,
    phone: tenant.supportPhone,
    practitioner: visit.calendar,
    from_date: stamp(toMinute(visit.startAt), visit.timeZone),
    to_date: stamp(toMinute(visit.endAt), visit.timeZone),
    time_zone: visit.timeZone,
    opens_at: opensAt.toISOString(),
    closes_at: closesAt.toISOString(),
    status: visit.status === 'scheduled' ? (closesAt <= now ? 'over' : 'scheduled') : 'canceled',
    asks: tenant.visitCheck === 'none' ? [] : [tenant.visitCheck as EntryCheck],
    now: now.toISOString(),
  };
}

/**
 * Finds the appointment and tenant of a video token.
 *
 * @throws 404 for an unknown link.
 */
export async function findVisitByToken(ctx: Context, token: string): Promise<{ visit: Appointment; tenant: Tenant }> {
  const visit = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, videoToken: token, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  if (visit) ctx.trail.patients.add(visit.patientId);
  const tenant = visit && (await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId } }));
  if (!visit || !tenant) throw notFound('visit');
  return { visit, tenant };
}
