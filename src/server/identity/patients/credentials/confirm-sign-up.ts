import type { Services } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { invalidCode, verifyCode } from '../../verification/codes/verify-code.ts';
import { clearLockout } from '../../verification/failures.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import type { Inputs } from '../inputs.ts';
import { planSignUp } from '../register-patient.ts';
import {
  applyPendingSignUp,
  findPendingSignUp,
  openPendingSignUp,
  pendingSignUpKeys,
} from '../sign-ups/pending-sign-up.ts';

/**
 * Confirms an email address with the mailed code, and with it only the sign-up of the device that requested the code. A
 * repeated request (same Idempotency-Key) returns the same.
 * @throws `invalid_code`, `expired_code`, `too_many_tries`
 */
export async function confirmSignUp(services: Services, caller: Caller, input: Inputs['confirm']): Promise<void> {
  const { id: clientId, ctx } = await findPublicClient(services, input.client_id, caller, 'credentials');
  const { email } = input;
  const codeKey = { purpose: 'confirm', person: personAt(email, input.attempt) } as const;
  const code = await verifyCode(ctx, codeKey, input.code, { clientId, revealsState: false });
  const { patientId } = code;
  const pending = await findPendingSignUp(ctx.db, ctx, pendingSignUpKeys(ctx, email, input.attempt));
  const content = pending && openPendingSignUp(ctx, pending);
  const plan = content && (await planSignUp(ctx, { email }, content.attributes, pending.createdAt));
  await ctx.db.$transaction(async (tx) => {
    const consumed = patientId && (await consumeCode(tx, ctx, code, caller));
    if (!consumed) throw invalidCode();
    if (consumed === 'before') return;
    if (!plan || pending.patientId !== patientId) throw invalidCode();
    const { madeRecord, key } = pending;
    if (!(await applyPendingSignUp(tx, ctx, { patientId, clientId, srp: content.srp, plan, madeRecord })))
      throw confirmedElsewhere();
    await confirmSignIn(tx, ctx, { patientId, clientId, verified: { emailVerified: true } });
    await clearLockout(tx, ctx, personKey(ctx, email), caller.ip);
    await tx.signUpAttempt.deleteMany({ where: { tenantId: ctx.tenantId, key } });
  });
}

/** Only a reader of the mailbox gets this error. */
const confirmedElsewhere = () =>
  apiError(
    'invalid_code',
    'This address has been confirmed from another device. Sign in with the password chosen there, or set a new one.',
  );
