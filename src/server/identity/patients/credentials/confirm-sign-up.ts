import type { Services } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { findPublicClient } from '../../applications/find-public-client.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { invalidCode, verifyCode } from '../../verification/codes/verify-code.ts';
import { clearLockout } from '../../verification/lockout/lockout.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import type { Inputs } from '../inputs.ts';
import { planSignUp } from '../register-patient.ts';
import { applyPendingSignUp } from '../sign-ups/apply-pending-sign-up.ts';
import { findPendingSignUp, openPendingSignUp, pendingSignUpKeys } from '../sign-ups/pending-sign-up.ts';

/**
 * Confirms an email address with the mailed code, and with it only the sign-up of the device that requested the code. A
 * repeated request (same Idempotency-Key) returns the same.
 * @throws `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function confirmSignUp(services: Services, caller: Caller, input: Inputs['confirm']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  const which = { purpose: 'confirm', person: personAt(email, input.attempt) } as const;
  const code = await verifyCode(ctx, which, input.code, { clientId, revealsState: false });
  const { patientId } = code;
  const attempt = await findPendingSignUp(ctx.db, ctx, pendingSignUpKeys(ctx, email, input.attempt));
  const content = attempt && openPendingSignUp(ctx, attempt);
  const plan = content && (await planSignUp(ctx, { email }, content.attributes, attempt.createdAt));
  await ctx.db.$transaction(async (tx) => {
    const spent = patientId && (await consumeCode(tx, ctx, code, caller));
    if (!spent) throw invalidCode();
    if (spent === 'before') return;
    if (!plan || attempt.patientId !== patientId) throw invalidCode();
    const { madeRecord, key } = attempt;
    if (!(await applyPendingSignUp(tx, ctx, { patientId, clientId, srp: content.srp, plan, madeRecord })))
      throw takenOver();
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
    await clearLockout(tx, ctx, personKey(ctx, email), caller.ip);
    await tx.signUpAttempt.deleteMany({ where: { tenantId: ctx.tenantId, key } });
  });
}

/** Only a reader of the mailbox gets this error. */
const takenOver = () =>
  apiError(
    'invalid_code',
    'This address has been confirmed from another device. Sign in with the password chosen there, or set a new one.',
  );
