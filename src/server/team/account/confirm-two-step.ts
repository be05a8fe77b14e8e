import type { ConfirmTwoStepInput, RecoveryCodesView } from '#contract/team.ts';
import type { Context } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { endStaffSessions } from '../../identity/staff/end-staff-sessions.ts';
import { invalidateStaffSession } from '../../identity/staff/staff-actor.ts';
import { secondStepKey } from '../../identity/staff/two-step/check-second-step.ts';
import { issueRecoveryCodes, secretBoundTo, totpStep } from '../../identity/staff/two-step/two-step.ts';
import { clearFailures, countFailure } from '../../identity/verification/failures.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { requireOwnAccount } from '../member.ts';

/**
 * Turns two-step sign-in on with the pending key, or replaces the previous key, after a right code of the app, which is
 * then used up. Issues ten recovery codes and ends all other sessions.
 * @throws `invalid_code`, `rate_limited`, `conflict` without a pending key
 */
export async function confirmTwoStep(ctx: Context, { code }: ConfirmTwoStepInput): Promise<RecoveryCodesView> {
  const { userId, sessionId } = requireOwnAccount(ctx.actor);
  const { tenantId, db } = ctx;
  const now = ctx.clock.now();
  const row = await db.staffTwoStep.findUnique({
    where: { tenantId_userId: { tenantId, userId } },
    include: { user: { select: { email: true } } },
  });
  if (!row?.pendingSecret) throw apiError('conflict', 'Start again: no key waits to be confirmed.');
  const { pendingSecret } = row;
  const failureKey = secondStepKey(ctx, userId);
  await countFailure(ctx, failureKey);
  const secret = ctx.cipher.open(pendingSecret, secretBoundTo(tenantId, userId));
  const lastStep = totpStep(secret, code.replace(/\s/g, ''), now);
  if (lastStep === null)
    throw apiError('invalid_code', 'This code is not right. Take the one that the app shows now.', {
      source: { pointer: '/code' },
    });
  await clearFailures(ctx, failureKey);
  return db.$transaction(async (tx) => {
    const { count } = await tx.staffTwoStep.updateMany({
      where: { tenantId, userId, pendingSecret },
      data: { secret: pendingSecret, pendingSecret: null, lastStep, turnedOnAt: now },
    });
    if (count === 0) throw apiError('conflict', 'Start again: another key was created in the meantime.');
    const recovery_codes = await issueRecoveryCodes(tx, ctx, userId);
    await endStaffSessions(tx, ctx, { userId, except: sessionId }, 'two_step_changed');
    const action = row.secret ? 'account.replace_two_step' : 'account.turn_on_two_step';
    await record(tx, ctx, { action, object: { type: 'StaffUser', id: userId } });
    await sendMessage(tx, ctx, { kind: 'two_step_on', staffUserId: userId, to: row.user.email });
    if (sessionId) invalidateStaffSession(ctx, { tenantId, userId, sessionId });
    return { recovery_codes };
  });
}
