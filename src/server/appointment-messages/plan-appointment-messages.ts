import type { MessageSettings } from '#contract/message-settings.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, isJobQueued, type Jobs } from '#server/core/jobs.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/in-care.ts';
import { readMessageSettings } from './message-settings.ts';
import { type AppointmentChange, planMessages } from './plan-messages.ts';
import { addTenantWithMessages } from './tenants-with-messages.ts';

/** Job: plans the messages of an appointment after a change. */
export async function planAppointmentMessages(services: Services, job: Jobs['plan_visit_messages']): Promise<void> {
  const ctx = systemContext(services, job.tenantId, 'plan_visit_messages');
  const { topic, there } = job;
  await ctx.db.$transaction((tx) => planVisit(tx, ctx, job.appointmentId, { topic, there }));
}

const A_PIECE = 200;

/** Job: plans the messages of every upcoming appointment, in batches. */
export async function planAllAppointments(
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

/** Serialized per appointment, so that a second run sees what the first has stored. */
async function planVisit(tx: Tx, ctx: Context, appointmentId: string, news: AppointmentChange): Promise<void> {
  const { tenantId } = ctx;
  await lockMessages(tx, tenantId, appointmentId);
  // A concurrent delivery has read the appointment before the change; its state must be visible here.
  await tx.$executeRaw`
    select id from visit_messages where tenant_id = ${tenantId}::uuid and appointment_id = ${appointmentId}::uuid
    for update`;
  const visit = await tx.appointment.findFirst({
    where: { tenantId, id: appointmentId },
    include: { patient: { select: { timeZone: true, ...CARE_COLUMNS } } },
  });
  if (!visit) return;
  const known = await tx.visitMessage.findMany({ where: { tenantId, appointmentId } });
  const { settings } = await readMessageSettings(tx, tenantId);
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
  if (planned.length > 0) await addTenantWithMessages(tx, tenantId);
  const isDue = planned.some(({ dueAt }) => dueAt && dueAt <= now);
  if (isDue) await queueSending(tx, tenantId);
}

/**
 * True when the plan job of the booking is still waiting: jobs run concurrently, and that of a reschedule or
 * cancellation may run first. A booking that the provider itself confirms does not count.
 */
async function hasUntoldBooking(
  tx: Tx,
  {
    tenantId,
    appointmentId,
    news,
    settings,
  }: { tenantId: string; appointmentId: string; news: AppointmentChange; settings: MessageSettings },
): Promise<boolean> {
  if (!news || news.topic === 'scheduled') return false;
  const booking = { tenantId, appointmentId, topic: 'scheduled' };
  const saying = settings.provider_mails ? { ...booking, there: false } : booking;
  return isJobQueued(tx, 'plan_visit_messages', saying);
}

export const lockMessages = (tx: Tx, tenantId: string, appointmentId: string): Promise<unknown> =>
  tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`messages:${tenantId}:${appointmentId}`}, 0))`;

/** Returns the patient's time zone or, when unknown, the calendar's. */
export const zoneOf = (visit: Pick<Appointment, 'timeZone'> & { patient: { timeZone: string | null } }): string =>
  visit.patient.timeZone ?? visit.timeZone;

/** Queues the delivery of the tenant's due messages after the caller's transaction. */
export const queueSending = (tx: Pick<Tx, '$executeRaw'>, tenantId: string): Promise<void> =>
  enqueue(tx, 'send_visit_messages', { tenantId }, { key: `send_visit_messages:${tenantId}` });
