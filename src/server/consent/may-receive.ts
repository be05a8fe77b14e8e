import type { ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-words.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { howItStands } from './stands.ts';

export type WhyNot = 'stopped' | 'bounced' | 'complained' | 'unsubscribed';
const REASONS: Partial<Record<string, WhyNot>> = {
  bounced: 'bounced',
  complained: 'complained',
  unsubscribed: 'unsubscribed',
};

/** Of reminders alone; what an address told counts for everything. */
const CHOSEN: (ChoiceReason | null)[] = ['unsubscribed', 'patient', 'staff'];

/**
 * Whether what nobody asked for may be sent to a patient there: null, or why not. `isReminder: false` is news of a visit,
 * which goes to who ended reminders too, and to no address that answered STOP, complained or takes nothing. Without it,
 * a patient who unsubscribed from reminders would come to an appointment that was canceled or rescheduled.
 */
export async function mayReceive(
  tx: Pick<Tx, 'addressSignal' | 'messageChoice'>,
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  { isReminder = true, ...to }: { patientId: string; channel: MessageChannel; address: string; isReminder?: boolean },
): Promise<WhyNot | null> {
  const { state, because } = await howItStands(tx, { cipher }, { tenantId, ...to });
  if (state === 'allowed' || (!isReminder && CHOSEN.includes(because))) return null;
  return REASONS[because ?? ''] ?? 'stopped';
}
