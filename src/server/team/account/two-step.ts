import type { ConfirmTwoStepInput, PasswordInput, RecoveryCodesView, TwoStepKeyView } from '#contract/team.ts';
import {
  clearFailures,
  confirmPassword,
  countFailure,
  endStaffSessions,
  invalidateStaffSession,
  issueRecoveryCodes,
  newTotpSecret,
  removeTwoStep,
  secondStepKey,
  secretBoundTo,
  totpStep,
  totpUri,
} from '#server/identity/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import { isStaff, isTwoStepRequired } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { apiError } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { requireOwnAccount } from '../member.ts';

/**
 * Creates a new key for an authenticator app. The previous key stays valid until a code of the new one arrives.
 * @throws `invalid_parameter` at the password, `rate_limited`
 */
export async function startTwoStep(ctx: Context, { password }: PasswordInput): Promise<TwoStepKeyView> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  const user = await confirmPassword(ctx, userId, password);
  const { name } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } });
  const secret = newTotpSecret();
  const pendingSecret = ctx.cipher.seal(secret, secretBoundTo(tenantId, userId));
  await ctx.db.staffTwoStep.upsert({
    where: { tenantId_userId: { tenantId, userId } },
    create: { tenantId, userId, pendingSecret },
    update: { pendingSecret },
  });
  const issuer = ctx.config.environment === 'sandbox' ? `${name} (sandbox)` : name;
  return { secret, uri: totpUri(secret, { issuer, label: user.email }) };
}

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

/**
 * Replaces the recovery codes with ten new ones.
 * @throws `conflict` while two-step sign-in is off; errors of `confirmPassword`
 */
export async function renewRecoveryCodes(ctx: Context, { password }: PasswordInput): Promise<RecoveryCodesView> {
  const { userId } = requireOwnAccount(ctx.actor);
  const { tenantId } = ctx;
  await confirmPassword(ctx, userId, password);
  return ctx.db.$transaction(async (tx) => {
    const activeCount = await tx.staffTwoStep.count({ where: { tenantId, userId, turnedOnAt: { not: null } } });
    if (activeCount === 0) throw apiError('conflict', 'Two-step sign-in is off.');
    const recovery_codes = await issueRecoveryCodes(tx, ctx, userId);
    await record(tx, ctx, { action: 'account.renew_recovery_codes', object: { type: 'StaffUser', id: userId } });
    return { recovery_codes };
  });
}

const ALWAYS_ON = 'Your role signs in with two steps here; you can replace the app instead.';

/**
 * Turns two-step sign-in off, where that is allowed.
 * @throws `forbidden`; errors of `confirmPassword`
 */
export async function turnOffTwoStep(ctx: Context, { password }: PasswordInput): Promise<void> {
  const { userId, sessionId } = requireOwnAccount(ctx.actor);
  const user = await confirmPassword(ctx, userId, password);
  const isRequired = !isStaff(ctx.actor) || isTwoStepRequired(ctx.config, ctx.actor.permissions);
  if (isRequired) throw apiError('forbidden', ALWAYS_ON, { people: ALWAYS_ON });
  await ctx.db.$transaction((tx) =>
    removeTwoStep(tx, ctx, user, { action: 'account.turn_off_two_step', except: sessionId }),
  );
}
