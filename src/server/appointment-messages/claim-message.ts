import type { MessageSettings } from '#contract/message-settings.ts';
import type { MessageChannel, MessageKind, UnsentReason } from '#contract/message-templates.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/index.ts';
import type { AppointmentWithPatient } from './compose-message.ts';
import { decideDelivery } from './decide-delivery.ts';
import { findRecipient } from './find-recipient.ts';
import { sentToBoundTo, zoneOf } from './message.ts';
import { recordWithheld } from './record-withheld.ts';

/** A message claimed by this process for delivery. */
export type ClaimedMessage = {
  row: VisitMessage & { kind: MessageKind; channel: MessageChannel };
  appointment: AppointmentWithPatient;
  to: string;
  wasAt: Date | null;
};
type Decision = { send: ClaimedMessage } | { skip: UnsentReason } | { wait: Date };

/**
 * Claims a due message after checking its appointment again. The row is marked as `sending` before the provider is
 * called, so that it is never sent twice.
 *
 * @returns null when there is nothing to send, with the reason in the row, or when another process claimed it
 */
export async function claimMessage(
  ctx: Context,
  id: string,
  settings: MessageSettings,
): Promise<ClaimedMessage | null> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const [locked] = await tx.$queryRaw<{ id: string }[]>`
      select id from visit_messages where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and state = 'planned'
        and due_at <= ${now}::timestamptz for update skip locked`;
    if (!locked) return null;
    const row = (await tx.visitMessage.findFirstOrThrow({ where: { tenantId, id } })) as ClaimedMessage['row'];
    const decision = await decide(tx, ctx, row, settings);
    const save = (data: object) =>
      tx.visitMessage.updateMany({ where: { tenantId, id }, data: { ...data, updatedAt: now } });
    if ('wait' in decision) await save({ dueAt: decision.wait });
    else if ('skip' in decision) {
      await save({ state: 'skipped', why: decision.skip });
      await recordWithheld(tx, ctx, row, decision.skip);
    } else {
      const sentTo = ctx.cipher.seal(decision.send.to, sentToBoundTo(row));
      await save({ state: 'sending', why: null, claimedAt: now, sentTo, tries: row.tries + 1 });
      return { ...decision.send, row: { ...row, tries: row.tries + 1 } };
    }
    return null;
  });
}

async function decide(tx: Tx, ctx: Context, row: ClaimedMessage['row'], settings: MessageSettings): Promise<Decision> {
  const { tenantId } = ctx;
  const { appointmentId, channel, kind } = row;
  const appointment = await tx.appointment.findFirst({
    where: { tenantId, id: appointmentId },
    include: {
      patient: {
        select: {
          ...{ id: true, firstName: true, timeZone: true, language: true, email: true, phoneNumber: true },
          ...CARE_COLUMNS,
        },
      },
    },
  });
  if (!appointment) return { skip: 'canceled' };
  const { patient } = appointment;
  const stored = await tx.visitMessage.findMany({ where: { tenantId, appointmentId } });
  const decision = decideDelivery({
    ...{ row, appointment, settings, stored, now: ctx.clock.now() },
    inCare: isInCare(patient),
    timeZone: zoneOf(appointment),
  });
  if (!('send' in decision)) return decision;
  const { to, why } = await findRecipient(tx, ctx, { patient, channel, kind });
  if (why !== null) return { skip: why };
  return { send: { row, appointment, to, wasAt: kind === 'move' ? previousStart(row, stored) : null } };
}

/** Returns the start that the patient was notified of before this message. */
function previousStart({ sequence }: VisitMessage, stored: VisitMessage[]): Date | null {
  const announced = stored.filter(
    (one) => one.kind !== 'reminder' && one.sequence < sequence && one.why !== 'overtaken',
  );
  return announced.sort((a, b) => b.sequence - a.sequence)[0]?.startAt ?? null;
}

/** Longer than an attempt may take, so the process that started it has ended. */
const LOST_AFTER = 5 * MINUTE;
export const lostBefore = (now: Date): Date => new Date(now.getTime() - LOST_AFTER);
