import type { UnsentReason } from '#contract/message-templates.ts';
import type { VisitMessage } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';

/**
 * Reasons without an entry: they apply to all patients, or follow from a change that has one. The appointment lists such
 * messages too.
 */
const WITHOUT_ENTRY: readonly UnsentReason[] = [
  ...(['off', 'there', 'overtaken', 'rebooked', 'moved', 'canceled', 'replaced', 'staff'] as const),
];

/** Records that a message to the patient is withheld, and why. */
export async function recordWithheld(
  tx: Tx,
  ctx: Context,
  { id, patientId, kind, channel }: Pick<VisitMessage, 'id' | 'patientId' | 'kind' | 'channel'>,
  why: UnsentReason,
): Promise<void> {
  if (WITHOUT_ENTRY.includes(why)) return;
  await record(tx, ctx, {
    action: 'appointment_messages.withhold',
    object: { type: 'Message', id },
    patientId,
    details: { kind, channel, why },
  });
}
