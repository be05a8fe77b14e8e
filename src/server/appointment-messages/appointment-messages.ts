import type { AuditAction } from '#contract/audit-actions.ts';
import { UNSENT_REASONS } from '#contract/message-templates.ts';
import type { VisitMessageInput, VisitMessageView } from '#contract/visit-messages.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/index.ts';
import { getAppointment } from '#server/scheduling/index.ts';
import { decideDelivery } from './decide-delivery.ts';
import { findRecipient } from './find-recipient.ts';
import { lockMessages, presentMessage, queueSending, zoneOf } from './message.ts';
import { readMessageSettings } from './message-settings.ts';
import { addTenantWithMessages } from './tenants-with-messages.ts';

/**
 * Lists the planned and sent messages of an appointment, ordered by due time. A planned one has the reason why it would be
 * withheld today.
 *
 * @throws 404.
 */
export async function listAppointmentMessages(ctx: Context, { id }: { id: string }): Promise<VisitMessageView[]> {
  requireScope(ctx.actor, 'appointments:read', { patients: false });
  const appointment = await getAppointment(ctx, { id });
  ctx.trail.patients.add(appointment.patient_id);
  const rows = await ctx.db.visitMessage.findMany({
    where: { tenantId: ctx.tenantId, appointmentId: id },
    orderBy: [{ dueAt: 'asc' }, { sequence: 'asc' }, { id: 'asc' }],
  });
  const patient = await ctx.db.patient.findFirstOrThrow({
    where: { tenantId: ctx.tenantId, id: appointment.patient_id },
    select: { id: true, email: true, phoneNumber: true },
  });
  return Promise.all(
    rows.map(presentMessage).map(async (message) => {
      if (message.state !== 'planned') return message;
      const { why } = await findRecipient(ctx.db, ctx, { patient, ...message });
      return { ...message, why };
    }),
  );
}

/**
 * Sends a message that was sent, failed or was skipped again now, as a new message with its own id. Repeated calls
 * return the waiting message.
 *
 * @throws 409 `conflict` when it is planned or the appointment has changed; 404.
 */
export async function resendMessage(ctx: Context, input: VisitMessageInput): Promise<VisitMessageView> {
  return change(ctx, input, async (tx, row, stored) => {
    if (row.state === 'planned' || row.state === 'sending')
      throw apiError('conflict', 'This message has not been sent yet. It is sent automatically when it is due.');
    if (row.why === 'rebooked') throw apiError('conflict', `It cannot be sent. ${UNSENT_REASONS.rebooked}.`);
    const isSame = (one: VisitMessage) =>
      one.kind === row.kind &&
      one.channel === row.channel &&
      one.minutesBefore === row.minutesBefore &&
      one.startAt.getTime() === row.startAt.getTime() &&
      one.sequence === row.sequence;
    const turns = stored.filter(isSame);
    const waiting = turns.find(({ state }) => state === 'planned' || state === 'sending');
    if (waiting) return recordAndPresent(tx, ctx, waiting, { action: 'appointment_messages.send_again' });
    const now = ctx.clock.now();
    const next = { ...row, turn: Math.max(...turns.map(({ turn }) => turn)) + 1, tries: 0, dueAt: now };
    const reason = await outdatedReason(tx, ctx, next, stored);
    if (reason) throw apiError('conflict', reason);
    const { id: _, sentAt, sentTo, claimedAt, why, delivery, deliveryWhy, createdAt, updatedAt, ...same } = next;
    const data = { ...same, id: newId(now), state: 'planned', createdAt: now, updatedAt: now };
    const created = await tx.visitMessage.create({ data });
    await addTenantWithMessages(tx, ctx.tenantId);
    await queueSending(tx, ctx.tenantId);
    return recordAndPresent(tx, ctx, created, { action: 'appointment_messages.send_again' });
  });
}

/**
 * Skips a planned message. Idempotent.
 *
 * @throws 409 `conflict` when it was sent or has failed already; 404.
 */
export async function skipMessage(ctx: Context, input: VisitMessageInput): Promise<VisitMessageView> {
  return change(ctx, input, async (tx, row) => {
    const { tenantId } = ctx;
    const isSkipped = row.state === 'skipped' && row.why === 'staff';
    if (!isSkipped && row.state !== 'planned')
      throw apiError('conflict', 'This message is no longer waiting to be sent.');
    const data = { state: 'skipped', why: 'staff', updatedAt: ctx.clock.now() };
    // A concurrent delivery may have claimed it first.
    const { count } = await tx.visitMessage.updateMany({
      where: { tenantId, id: row.id, state: { in: ['planned', 'skipped'] } },
      data,
    });
    if (count === 0) throw apiError('conflict', 'This message is being sent right now.');
    return recordAndPresent(tx, ctx, { ...row, ...data }, { action: 'appointment_messages.skip' });
  });
}

async function change(
  ctx: Context,
  { id, message_id }: VisitMessageInput,
  apply: (tx: Tx, row: VisitMessage, stored: VisitMessage[]) => Promise<VisitMessageView>,
): Promise<VisitMessageView> {
  requireScope(ctx.actor, 'appointments:write', { patients: false });
  const appointment = await getAppointment(
    { ...ctx, actor: { kind: 'system', tenantId: ctx.tenantId, job: 'choose' } },
    { id },
  );
  ctx.trail.patients.add(appointment.patient_id);
  return ctx.db.$transaction(async (tx) => {
    await lockMessages(tx, ctx.tenantId, id);
    const stored = await tx.visitMessage.findMany({ where: { tenantId: ctx.tenantId, appointmentId: id } });
    const row = stored.find((one) => one.id === message_id);
    if (!row) throw notFound('message of this appointment');
    return apply(tx, row, stored);
  });
}

/** Returns why the message is outdated for the appointment, the patient or the settings, as text, or null. */
async function outdatedReason(tx: Tx, ctx: Context, row: VisitMessage, stored: VisitMessage[]): Promise<string | null> {
  const { tenantId } = ctx;
  const appointment = await tx.appointment.findFirst({
    where: { tenantId, id: row.appointmentId },
    include: { patient: { select: { id: true, email: true, phoneNumber: true, timeZone: true, ...CARE_COLUMNS } } },
  });
  if (!appointment) throw notFound('appointment');
  const { settings } = await readMessageSettings(tx, tenantId);
  const decision = decideDelivery({
    ...{ row, appointment, settings, stored, now: ctx.clock.now() },
    inCare: isInCare(appointment.patient),
    timeZone: zoneOf(appointment),
  });
  if ('skip' in decision) return `It cannot be sent again. ${UNSENT_REASONS[decision.skip]}.`;
  const { why } = await findRecipient(tx, ctx, { patient: appointment.patient, ...presentMessage(row) });
  // Without a server the new message is skipped and says so.
  return why === null || why === 'not_set_up' ? null : `It cannot be sent again. ${UNSENT_REASONS[why]}.`;
}

async function recordAndPresent(
  tx: Tx,
  ctx: Context,
  row: VisitMessage,
  { action }: { action: AuditAction },
): Promise<VisitMessageView> {
  const payload = presentMessage(row);
  await record(tx, ctx, {
    action,
    object: { type: 'Appointment', id: row.appointmentId },
    patientId: row.patientId,
    payload,
    details: { kind: row.kind, channel: row.channel },
  });
  return payload;
}
