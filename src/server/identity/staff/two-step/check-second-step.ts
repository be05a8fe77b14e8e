import type { Role } from '#contract/roles.ts';
import { sendMessage } from '#server/messages/index.ts';
import { actorOfStaff } from '../../../core/actor.ts';
import { type Context, contextFor, type Services } from '../../../core/context.ts';
import { apiError } from '../../../core/errors.ts';
import { record } from '../../../core/record.ts';
import { recordFailedAttempt } from '../../../core/record-access.ts';
import { clearFailures, countFailure } from '../../verification/failures.ts';
import { personKey } from '../../verification/person.ts';
import { recoveryCodeHash, secretBoundTo, totpStep } from './two-step.ts';

type Person = { id: string; tenantId: string; role: Role; email: string };

/**
 * Checks the second step after the right password. A code of the app and a recovery code work once each. Attempts are
 * counted before the check; only a caller who knows the password can throttle the owner.
 * @returns `none` for a user without a second step, `code_required` without a code
 * @throws `invalid_code`, `rate_limited`
 */
export async function checkSecondStep(
  services: Services,
  { id: userId, tenantId, role, email }: Person,
  rawCode: string | undefined,
  from: { ip?: string; userAgent?: string | null } = {},
): Promise<'done' | 'none' | 'code_required'> {
  const ctx = contextFor(services, actorOfStaff({ role, tenantId, userId }), from);
  const row = await ctx.db.staffTwoStep.findUnique({ where: { tenantId_userId: { tenantId, userId } } });
  if (!row?.secret) return 'none';
  const code = rawCode?.replace(/[\s-]/g, '');
  if (!code) return 'code_required';
  const key = secondStepKey(ctx, userId);
  await countFailure(ctx, key);
  const secret = ctx.cipher.open(row.secret, secretBoundTo(tenantId, userId));
  const isRight = /^\d{6}$/.test(code)
    ? await consumeTotpStep(ctx, userId, secret, code)
    : await consumeRecoveryCode(ctx, { userId, email }, code);
  if (!isRight) {
    const object = { type: 'StaffUser', id: userId };
    recordFailedAttempt(ctx, { action: 'account.sign_in', object, outcome: 'invalid_code' });
    throw apiError('invalid_code', 'This code is wrong or was used already.');
  }
  await clearFailures(ctx, key);
  return 'done';
}

/** The stored step only increases, in one statement, so one of two sign-ins with the same code is rejected. */
async function consumeTotpStep(ctx: Context, userId: string, secret: string, code: string): Promise<boolean> {
  const step = totpStep(secret, code, ctx.clock.now());
  if (step === null) return false;
  const { count } = await ctx.db.staffTwoStep.updateMany({
    where: { tenantId: ctx.tenantId, userId, lastStep: { lt: step } },
    data: { lastStep: step },
  });
  return count === 1;
}

async function consumeRecoveryCode(
  ctx: Context,
  { userId, email }: { userId: string; email: string },
  code: string,
): Promise<boolean> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.staffRecoveryCode.updateMany({
      where: { tenantId, userId, hash: recoveryCodeHash(ctx, userId, code), usedAt: null },
      data: { usedAt: ctx.clock.now() },
    });
    if (count === 0) return false;
    const left = await tx.staffRecoveryCode.count({ where: { tenantId, userId, usedAt: null } });
    await record(tx, ctx, {
      action: 'account.use_recovery_code',
      object: { type: 'StaffUser', id: userId },
      details: { left },
    });
    await sendMessage(tx, ctx, { kind: 'recovery_code_used', staffUserId: userId, to: email, left });
    return true;
  });
}

/** Counter key of wrong codes: the account alone, because a million codes are quickly guessed from many sources. */
export const secondStepKey = (ctx: Context, userId: string): string => personKey(ctx, `staff-code\n${userId}`);
