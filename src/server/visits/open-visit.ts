import type { VisitView } from '#contract/visits.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { notFound, refuse } from '#server/core/errors.ts';
import { stamp, toMinute } from '#server/core/zone.ts';

const OPENS_BEFORE_MS = 10 * MINUTE;

/**
 * What the page behind a visit's link shows. The link is the only credential, so it says nothing of the patient and
 * nothing of why they come. Errors: 404 for a link that leads nowhere.
 */
export async function openVisit(ctx: Context, { token }: { token: string }): Promise<VisitView> {
  if (ctx.actor.kind !== 'visitor') throw refuse('forbidden', 'A visit is opened from its link.');
  const visit = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, videoToken: token, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  if (visit) ctx.trail.patients.add(visit.patientId);
  const tenant = visit && (await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId } }));
  if (!visit || !tenant) throw notFound('visit');
  return {
    clinic: tenant.name,
    practitioner: visit.calendar,
    from_date: stamp(toMinute(visit.startAt), visit.timeZone),
    to_date: stamp(toMinute(visit.endAt), visit.timeZone),
    time_zone: visit.timeZone,
    opens_at: new Date(visit.startAt.getTime() - OPENS_BEFORE_MS).toISOString(),
    status: visit.status === 'scheduled' ? (visit.endAt <= ctx.clock.now() ? 'over' : 'scheduled') : 'canceled',
    now: ctx.clock.now().toISOString(),
  };
}
