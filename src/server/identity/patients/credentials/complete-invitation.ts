import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Context, Services } from '#server/core/context.ts';
import { apiError, invalidParameter } from '#server/core/errors.ts';
import { IN_CARE } from '#server/patients/index.ts';
import { beginSession } from '../../sessions/begin-session.ts';
import { issueTokens } from '../../sessions/issue-tokens.ts';
import { rejectWeakPassword } from '../../srp/reject-weak-password.ts';
import type { Caller } from '../../verification/caller.ts';
import { lockPerson } from '../../verification/person.ts';
import { asPatient, contextOfToken } from '../../verification/request-context.ts';
import { consumeStep, findStep } from '../../verification/steps.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import type { Inputs } from '../inputs.ts';
import { openInvitation } from '../invitation/issue-invitation.ts';
import { markInvitationAnswered } from '../invitation/sent-invitations.ts';
import { setPassword } from '../set-password.ts';

type ContinuationState = { identity: string; salt: string; isReset: boolean };

/**
 * Replaces an invitation's temporary password, or the password of a required reset, with the patient's own, and signs
 * in.
 * @throws `expired_handshake`, `invalid_parameter` at the identity or the verifier
 */
export async function completeInvitation(
  services: Services,
  caller: Caller,
  { continuation, srp, device }: Inputs['completeInvitation'],
): Promise<WireTokens> {
  const ctx = contextOfToken(services, caller, continuation);
  const invitation = ctx && (await findInvitation(ctx, continuation));
  // Before the step is consumed, so that the client can choose another password, and before the transaction, because it
  // takes long. An expired continuation ends here: a later, lower reading of the clock must not accept a password that
  // was not checked.
  if (ctx && invitation) await rejectWeakPassword(ctx, caller, srp, { ...invitation, queue: 'verified' });
  const session = await (invitation && ctx?.db)?.$transaction(async (tx) => {
    const pending = await findStep<ContinuationState>(tx, ctx, 'continuation', continuation);
    // Serialized with the undo of a change, which ends this step.
    if (pending?.patientId) await lockPerson(tx, `${ctx.tenantId}:${pending.patientId}`);
    const step = await consumeStep<ContinuationState>(tx, ctx, 'continuation', continuation);
    if (!step?.patientId) return null;
    if (step.state.identity !== srp.identity) throw invalidParameter('srp/identity', 'An account keeps its identity.');
    const { patientId, clientId } = step;
    if ((await tx.patient.count({ where: { tenantId: ctx.tenantId, id: patientId, ...IN_CARE } })) === 0) return null;
    const patientCtx = asPatient(ctx, patientId, clientId);
    const { salt: expectedSalt, isReset } = step.state;
    const action = isReset ? 'patients.replace_password' : 'patients.complete_invitation';
    if (!(await setPassword(tx, patientCtx, { patientId, srp, action, expectedSalt, lifts: true }))) return null;
    // A patient who was helped to sign in again had confirmed before.
    if (!isReset) await markInvitationAnswered(tx, ctx, patientId);
    await confirmSignIn(tx, ctx, { patientId, clientId, verified: { emailVerified: true } });
    return beginSession(tx, ctx, { patientId, clientId, caller, device });
  });
  if (!ctx || !session) throw apiError('expired_handshake', 'This has taken too long; start again.');
  return issueTokens(ctx, session);
}

/** Finds the account of a continuation without using it up. */
async function findInvitation(
  ctx: Context,
  continuation: string,
): Promise<{ email: string; temporary: string | null } | null> {
  const patientId = (await findStep<ContinuationState>(ctx.db, ctx, 'continuation', continuation))?.patientId;
  if (!patientId) return null;
  const signIn = await ctx.db.patientSignIn.findUnique({
    where: { tenantId_patientId: { tenantId: ctx.tenantId, patientId } },
    select: { invitation: true, patient: { select: { email: true } } },
  });
  const temporary = signIn?.invitation ? openInvitation(ctx, patientId, signIn.invitation) : null;
  return { email: signIn?.patient.email ?? '', temporary };
}
