import type { ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { getChoiceState } from './choice-state.ts';

type BlockedReason = 'stopped' | 'bounced' | 'complained' | 'unsubscribed';
const REASONS: Partial<Record<string, BlockedReason>> = {
  bounced: 'bounced',
  complained: 'complained',
  unsubscribed: 'unsubscribed',
};

/** Choices that concern only reminders; an address's own signals stop everything. */
const REMINDERS_ONLY: (ChoiceReason | null)[] = ['unsubscribed', 'patient', 'staff'];

/**
 * Returns null if an unsolicited message may be sent to the patient's address, otherwise the reason. `isReminder:
 * false` is news of an appointment: it is also sent after an unsubscribe from reminders, but not after STOP, a
 * complaint or a bounce. Otherwise such a patient would come to an appointment that was canceled or rescheduled.
 */
export async function mayReceive(
  tx: Pick<Tx, 'addressSignal' | 'messageChoice'>,
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  { isReminder = true, ...to }: { patientId: string; channel: MessageChannel; address: string; isReminder?: boolean },
): Promise<BlockedReason | null> {
  const { state, because } = await getChoiceState(tx, { cipher }, { tenantId, ...to });
  if (state === 'allowed' || (!isReminder && REMINDERS_ONLY.includes(because))) return null;
  return REASONS[because ?? ''] ?? 'stopped';
}
