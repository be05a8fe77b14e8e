import type { MessageSettings } from '#contract/message-settings.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, isJobQueued, type Jobs } from '#server/core/jobs.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/index.ts';
import { lockMessages, queueSending, zoneOf } from './message.ts';
import { readMessageSettings } from './message-settings.ts';
import { type AppointmentChange, type PlanInput, planMessages, type StoredMessage } from './plan-messages.ts';
import { recordWithheld } from './record-withheld.ts';
import { addTenantWithMessages } from './tenants-with-messages.ts';

/** Job: plans the messages of an appointment after a change. */
export async function planAppointmentMessages(services: Services, job: Jobs['plan_visit_messages']): Promise<void> {
  const ctx = systemContext(services, job.tenantId, 'plan_visit_messages');
  const { tenantId: _, appointmentId, ...cause } = job;
  await ctx.db.$transaction((tx) => planAppointment(tx, ctx, appointmentId, cause));
}

const BATCH_SIZE = 200;

/** Job: plans the messages of every upcoming appointment, in batches. */
export async function planAllAppointments(
  services: Services,
  { tenantId, after }: Jobs['plan_all_visit_messages'],
): Promise<void> {
  const ctx = systemContext(services, tenantId, 'plan_visit_messages');
  const appointments = await ctx.db.appointment.findMany({
    where: { tenantId, status: 'scheduled', startAt: { gt: ctx.clock.now() }, ...(after && { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: BATCH_SIZE,
    select: { id: true },
  });
  for (const { id } of appointments) await ctx.db.$transaction((tx) => planAppointment(tx, ctx, id, null));
  const last = appointments.at(-1);
  if (last && appointments.length === BATCH_SIZE)
    await enqueue(ctx.db, 'plan_all_visit_messages', { tenantId, after: last.id });
}

/** Serialized per appointment, so that a second run sees what the first has stored. */
async function planAppointment(tx: Tx, ctx: Context, appointmentId: string, cause: AppointmentChange): Promise<void> {
  const { tenantId } = ctx;
  await lockMessages(tx, tenantId, appointmentId);
  // A concurrent delivery has read the appointment before the change; its state must be visible here.
  await tx.$executeRaw`
    select id from visit_messages where tenant_id = ${tenantId}::uuid and appointment_id = ${appointmentId}::uuid
    for update`;
  const appointment = await tx.appointment.findFirst({
    where: { tenantId, id: appointmentId },
    include: { patient: { select: { timeZone: true, ...CARE_COLUMNS } } },
  });
  if (!appointment) return;
  const stored = await tx.visitMessage.findMany({ where: { tenantId, appointmentId } });
  const { settings } = await readMessageSettings(tx, tenantId);
  const now = ctx.clock.now();
  const { create, update } = planMessages({
    ...{ appointment, stored, settings, now, cause },
    isBookingUnplanned: await isBookingUnplanned(tx, { tenantId, appointmentId, cause, settings, stored }),
    timeZone: zoneOf(appointment),
    inCare: isInCare(appointment.patient),
    rebooked:
      cause?.topic === 'scheduled' && !cause.there && stored.length === 0 ? await rebook(tx, ctx, appointment) : null,
  });
  for (const { id, ...data } of update) {
    const { count } = await tx.visitMessage.updateMany({
      where: { tenantId, id, state: { in: ['planned', 'skipped'] } },
      data: { ...data, updatedAt: now },
    });
    const row = stored.find((one) => one.id === id);
    if (count > 0 && row && data.why) await recordWithheld(tx, ctx, row, data.why);
  }
  const { patientId, startAt } = appointment;
  const shared = { tenantId, appointmentId, patientId, startAt, createdAt: now, updatedAt: now };
  const created = create.map((one) => ({ id: newId(now), ...shared, ...one }));
  if (created.length > 0) await tx.visitMessage.createMany({ data: created });
  for (const row of created) if (row.why) await recordWithheld(tx, ctx, row, row.why);
  const planned = [...create, ...update].filter(({ state }) => state === 'planned');
  if (planned.length > 0) await addTenantWithMessages(tx, tenantId);
  const isDue = planned.some(({ dueAt }) => dueAt && dueAt <= now);
  if (isDue) await queueSending(tx, tenantId);
  const runAt = create.find(({ kind, dueAt }) => kind !== 'reminder' && dueAt > now)?.dueAt;
  // Without a key, so that neither delays other messages nor is delayed by them.
  if (runAt) await enqueue(tx, 'send_visit_messages', { tenantId }, { runAt });
}

/**
 * Withholds the unsent cancellation of an appointment when the same time is booked again, as an undo does: the patient
 * gets the new confirmation alone, which replaces the calendar entry.
 */
async function rebook(tx: Tx, { tenantId, clock }: Context, appointment: Appointment): Promise<PlanInput['rebooked']> {
  const { patientId, startAt, calendarId, appointmentTypeId, status } = appointment;
  if (status !== 'scheduled') return null;
  const row = await tx.visitMessage.findFirst({
    where: {
      ...{ tenantId, patientId, startAt, kind: 'cancellation', state: 'planned' },
      appointment: { calendarId, appointmentTypeId },
    },
  });
  if (!row) return null;
  // A concurrent delivery may have claimed it first.
  const { count } = await tx.visitMessage.updateMany({
    where: { tenantId, id: row.id, state: 'planned' },
    data: { state: 'skipped', why: 'rebooked', updatedAt: clock.now() },
  });
  return count === 0 ? null : { entryId: row.entryId ?? row.appointmentId, sequence: row.sequence };
}

type BookingQuery = {
  tenantId: string;
  appointmentId: string;
  cause: AppointmentChange;
  settings: MessageSettings;
  stored: StoredMessage[];
};

/**
 * True when the plan job of the booking is still waiting: jobs run concurrently, and that of a reschedule or
 * cancellation may run first. A booking that the provider itself confirms does not count.
 */
export async function isBookingUnplanned(
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId, appointmentId, cause, settings, stored }: BookingQuery,
): Promise<boolean> {
  if (!cause || cause.topic === 'scheduled' || stored.some(({ kind }) => kind !== 'reminder')) return false;
  const booking = { tenantId, appointmentId, topic: 'scheduled' };
  const payload = settings.provider_mails ? { ...booking, there: false } : booking;
  return isJobQueued(tx, 'plan_visit_messages', payload);
}
