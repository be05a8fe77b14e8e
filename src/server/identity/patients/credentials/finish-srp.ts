import type { Wire } from '#sdk/protocol/endpoints.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context, Services } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { beginSession, insertSession } from '../../sessions/begin-session.ts';
import { issueTokens } from '../../sessions/issue-tokens.ts';
import { describeUser } from '../../sessions/present-user.ts';
import { runQueued } from '../../srp/work-queue.ts';
import type { Caller } from '../../verification/caller.ts';
import { contextOfToken } from '../../verification/request-context.ts';
import { storeStep } from '../../verification/steps.ts';
import type { Inputs } from '../inputs.ts';
import { findPendingSignUp, openPendingSignUp, storePendingSignUp } from '../sign-ups/pending-sign-up.ts';
import { expiredHandshake, isOfKnownDevice } from './consume-handshake.ts';
import type { SignUpHandle } from './start-srp.ts';
import { verifySrpProof } from './verify-srp-proof.ts';

const CONTINUATION_LIFETIME = 10 * MINUTE;

/**
 * The second step of a password sign-in. A temporary password, or the right one during a required reset, returns a
 * continuation; the password of an unconfirmed sign-up lets this device continue it.
 * @throws `expired_handshake`, `service_busy`, `invalid_credentials`, `account_not_confirmed`, `invitation_expired`,
 * `sign_in_locked`, `rate_limited`
 */
export async function finishSrp(
  services: Services,
  caller: Caller,
  input: Inputs['srpFinish'],
): Promise<Wire['srpFinish']['response']> {
  const ctx = contextOfToken(services, caller, input.handshake);
  if (!ctx) throw expiredHandshake();
  return runQueued(
    ctx.identity.proofs,
    () => complete(ctx, services, caller, input),
    () => isOfKnownDevice(ctx, input.handshake),
  );
}

async function complete(
  ctx: Context,
  services: Services,
  caller: Caller,
  { handshake, M1, device }: Inputs['srpFinish'],
): Promise<Wire['srpFinish']['response']> {
  const verified = await verifySrpProof(ctx, handshake, M1);
  const { clientId, identity, salt, M2 } = verified;
  await findPublicClient(services, clientId, caller, 'credentials');
  if (verified.patientId === null) {
    await continueSignUp(ctx, caller, verified);
    throw notConfirmed();
  }
  const { patientId, patient } = verified;
  const { confirmedAt, temporaryUntil, resetBy, canSignIn } = patient;
  if (resetBy === 'staff')
    throw apiError(
      'sign_in_locked',
      'A change to this account was undone. Please contact your clinic to sign in again.',
    );
  if (temporaryUntil || resetBy) {
    if (temporaryUntil && temporaryUntil <= ctx.clock.now())
      throw apiError('invitation_expired', 'This invitation has expired. Ask for a new one.');
    const state = { identity, salt, isReset: resetBy !== null };
    const step = { patientId, clientId, state, lifetimeMs: CONTINUATION_LIFETIME };
    const continuation = await storeStep(ctx.db, ctx, 'continuation', step);
    return { M2, new_password_required: true, continuation, expires_in: CONTINUATION_LIFETIME / SECOND };
  }
  if (!confirmedAt || !canSignIn) throw notConfirmed();
  const newSession = { patientId, clientId, caller, device, salt };
  const session =
    (await insertSession(ctx.db, ctx, newSession)) ??
    (await ctx.db.$transaction((tx) => beginSession(tx, ctx, newSession)));
  return { M2, ...(await issueTokens(ctx, session, describeUser(ctx.tenantId, patientId, patient))) };
}

const notConfirmed = () =>
  apiError('account_not_confirmed', 'Confirm your email address first, with the code that was emailed to it.');

/** Copies a sign-up to a device with a verified password; the original device can continue it too. */
async function continueSignUp(
  ctx: Context,
  caller: Caller,
  { clientId, signUp: { key, own } }: { clientId: string; signUp: SignUpHandle },
): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const original = await findPendingSignUp(tx, ctx, { key });
    if (!original || (await findPendingSignUp(tx, ctx, { key: own }))) return;
    const { person, patientId, madeRecord } = original;
    const content = openPendingSignUp(ctx, original);
    await storePendingSignUp(tx, ctx, caller, { key: own, person, patientId, clientId, content, madeRecord });
  });
}
