import type { MessageChannel, MessageKind } from '#contract/message-templates.ts';
import type { TimelineEntryView } from '#contract/timeline.ts';
import { findRecipient } from '#server/appointment-messages/index.ts';
import type { Context } from '#server/core/context.ts';
import { titleOf } from './timeline/messages.ts';

/** The next ones only, because they are shown above what happened. */
const MAX_PLANNED = 3;

/**
 * Lists the next planned messages to a patient as timeline entries, the latest first, and says which of them would be
 * withheld today.
 */
export async function listPlanned(ctx: Context, patientId: string): Promise<TimelineEntryView[]> {
  const { db, tenantId } = ctx;
  const rows = await db.visitMessage.findMany({
    where: { tenantId, patientId, state: 'planned', dueAt: { gt: ctx.clock.now() } },
    orderBy: [{ dueAt: 'asc' }, { id: 'asc' }],
    take: MAX_PLANNED,
    include: {
      patient: { select: { id: true, email: true, phoneNumber: true } },
      appointment: { select: { id: true, appointmentType: true, calendar: true, startAt: true } },
    },
  });
  const entries = rows.map(async ({ id, dueAt, patient, appointment, ...row }): Promise<TimelineEntryView> => {
    const [kind, channel] = [row.kind as MessageKind, row.channel as MessageChannel];
    const { why } = await findRecipient(db, ctx, { patient, kind, channel });
    const { title, note = null } = titleOf({ kind, channel, why }, why ? 'will not be sent' : 'will be sent');
    const name = `${appointment.appointmentType}, ${appointment.calendar}`;
    return {
      ...{ id, at: dueAt.toISOString(), kind: 'messages', title, note, by: 'Carelane' },
      about: { id: appointment.id, name, from_date: appointment.startAt.toISOString(), moved_from: null },
    };
  });
  return (await Promise.all(entries)).reverse();
}
