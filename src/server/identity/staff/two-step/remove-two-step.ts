import type { Context } from '../../../core/context.ts';
import type { Tx } from '../../../core/db.ts';
import { record } from '../../../core/record.ts';
import { sendMessage } from '../../../messages/send-message.ts';
import { endStaffSessions } from '../end-staff-sessions.ts';

type Person = { id: string; email: string };
type Removal = { action: 'account.turn_off_two_step' | 'team.reset_two_step'; except?: string | undefined };

/** Removes the second step: all sessions but one end, and the owner gets an email. */
export async function removeTwoStep(tx: Tx, ctx: Context, user: Person, { action, except }: Removal): Promise<void> {
  const where = { tenantId: ctx.tenantId, userId: user.id };
  await tx.staffTwoStep.deleteMany({ where });
  await tx.staffRecoveryCode.deleteMany({ where });
  await endStaffSessions(tx, ctx, { userId: user.id, except }, 'two_step_changed');
  await record(tx, ctx, { action, object: { type: 'StaffUser', id: user.id } });
  await sendMessage(tx, ctx, { kind: 'two_step_off', staffUserId: user.id, to: user.email });
}
