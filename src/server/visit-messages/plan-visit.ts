import type { MessageSettings } from '#contract/message-settings.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, isWaiting, type Jobs } from '#server/core/jobs.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/in-care.ts';
import { noteAwaited } from './awaited.ts';
import { type News, planMessages } from './plan.ts';
import { readSettings } from './read-settings.ts';

/** Works out what is to be sent of a visit that something has happened to. */
export async function planVisitMessages(services: Services, job: Jobs['plan_visit_messages']): Promise<void> {
  const ctx = systemContext(services, job.tenantId, 'plan_visit_messages');
  const { topic, there } = job;
  await ctx.db.$transaction((tx) => planVisit(tx, ctx, job.appointmentId, { topic, there }));
}

const A_PIECE = 200;

/** The same of every visit to come, a piece at a time. */
export async function planAllVisits(
  services: Services,
  { tenantId, after }: Jobs['plan_all_visit_messages'],
): Promise<void> {
  const ctx = systemContext(services, tenantId, 'plan_visit_messages');
  const visits = await ctx.db.appointment.findMany({
    where: { tenantId, status: 'scheduled', startAt: { gt: ctx.clock.now() }, ...(after && { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: A_PIECE,
    select: { id: true },
  });
  for (const { id } of visits) await ctx.db.$transaction((tx) => planVisit(tx, ctx, id, null));
  const last = visits.at(-1);
  if (last && visits.length === A_PIECE) await enqueue(ctx.db, 'plan_all_visit_messages', { tenantId, after: last.id });
}

/** One at a time for each visit, so that whoever is second finds what the first has written down. */
async function planVisit(tx: Tx, ctx: Context, appointmentId: string, news: News): Promise<void> {
  const { tenantId } = ctx;
  await lockMessages(tx, tenantId, appointmentId);
  // Whoever sends one of them right now has looked at the visit as it was: what was begun must be known here.
  await tx.$executeRaw`
    select id from visit_messages where tenant_id = ${tenantId}::uuid and appointment_id = ${appointmentId}::uuid
    for update`;
  const visit = await tx.appointment.findFirst({
    where: { tenantId, id: appointmentId },
    include: { patient: { select: { timeZone: true, ...CARE_COLUMNS } } },
  });
  if (!visit) return;
  const known = await tx.visitMessage.findMany({ where: { tenantId, appointmentId } });
  const { settings } = await readSettings(tx, tenantId);
  const now = ctx.clock.now();
  const { make, change } = planMessages({
    ...{ visit, known, settings, now, news },
    isUntold:
      !known.some(({ kind }) => kind !== 'reminder') &&
      (await hasUntoldBooking(tx, { tenantId, appointmentId, news, settings })),
    timeZone: zoneOf(visit),
    inCare: isInCare(visit.patient),
  });
  for (const { id, ...data } of change)
    await tx.visitMessage.updateMany({
      where: { tenantId, id, state: { in: ['planned', 'skipped'] } },
      data: { ...data, updatedAt: now },
    });
  const about = { tenantId, appointmentId, patientId: visit.patientId, startAt: visit.startAt };
  if (make.length > 0)
    await tx.visitMessage.createMany({
      data: make.map((one) => ({ id: newId(now), ...about, ...one, createdAt: now, updatedAt: now })),
    });
  const planned = [...make, ...change].filter(({ state }) => state === 'planned');
  if (planned.length > 0) await noteAwaited(tx, tenantId);
  const isDue = planned.some(({ dueAt }) => dueAt && dueAt <= now);
  if (isDue) await sendSoon(tx, tenantId);
}

/**
 * Jobs run beside each other: that of a move or a cancellation may come before that of the booking. What the provider tells
 * itself is told already.
 */
async function hasUntoldBooking(
  tx: Tx,
  {
    tenantId,
    appointmentId,
    news,
    settings,
  }: { tenantId: string; appointmentId: string; news: News; settings: MessageSettings },
): Promise<boolean> {
  if (!news || news.topic === 'scheduled') return false;
  const booking = { tenantId, appointmentId, topic: 'scheduled' };
  const saying = settings.provider_mails ? { ...booking, there: false } : booking;
  return isWaiting(tx, 'plan_visit_messages', saying);
}

export const lockMessages = (tx: Tx, tenantId: string, appointmentId: string): Promise<unknown> =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`messages:${tenantId}:${appointmentId}`}, 0))`;

/** The patient's, or where nothing is known of that, the calendar's. */
export const zoneOf = (visit: Pick<Appointment, 'timeZone'> & { patient: { timeZone: string | null } }): string =>
  visit.patient.timeZone ?? visit.timeZone;

/** What is due of this clinic is sent behind the caller's transaction. */
export const sendSoon = (tx: Pick<Tx, '$executeRaw'>, tenantId: string): Promise<void> =>
  enqueue(tx, 'send_visit_messages', { tenantId }, { key: `send_visit_messages:${tenantId}` });
