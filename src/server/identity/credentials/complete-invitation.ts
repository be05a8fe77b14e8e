import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Context, Services } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { invalid, refuse } from '../../core/errors.ts';
import { asPatient } from '../as-patient.ts';
import type { Caller } from '../caller.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import { contextOfToken } from '../context-of-token.ts';
import type { Inputs } from '../inputs.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { issueTokens } from '../sessions/issue-tokens.ts';
import { setPassword } from '../set-password.ts';
import { refuseWeak } from '../srp/refuse-weak.ts';
import { takeStep } from '../srp/steps.ts';
import { openTemporaryPassword } from '../srp/verifier.ts';

/**
 * Puts the patient's own password in place of an invitation's and signs in.
 * Errors: expired_handshake, invalid_parameter at the identity or the verifier.
 */
export async function completeInvitation(
  services: Services,
  caller: Caller,
  { continuation, srp, device }: Inputs['completeInvitation'],
): Promise<WireTokens> {
  const ctx = contextOfToken(services, caller, continuation);
  const invited = ctx && (await findInvited(ctx, continuation));
  // Before the step is taken, so that another password can be chosen, and before the transaction, for it takes long.
  if (ctx && invited) await refuseWeak(ctx, caller, srp, invited);
  const session = await ctx?.db.$transaction(async (tx) => {
    const step = await takeStep<{ identity: string }>(tx, ctx, 'continuation', continuation);
    if (!step?.patientId) return null;
    if (step.state.identity !== srp.identity) throw invalid('srp/identity', 'An account keeps its identity.');
    const { patientId, clientId } = step;
    const inPatientsName = asPatient(ctx, patientId, clientId);
    await setPassword(tx, inPatientsName, { patientId, srp, action: 'patients.complete_invitation' });
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
    return beginSession(tx, ctx, { patientId, clientId, caller, device });
  });
  if (!ctx || !session) throw refuse('expired_handshake', 'This has taken too long; start again.');
  return issueTokens(ctx, session);
}

/** Whose invitation a continuation is for, without using it up. */
async function findInvited(
  ctx: Context,
  continuation: string,
): Promise<{ email: string; temporary: string | null } | null> {
  const { tenantId } = ctx;
  const step = await ctx.db.signInStep.findFirst({
    where: { tenantId, tokenHash: sha256(continuation), kind: 'continuation', expiresAt: { gt: ctx.clock.now() } },
    select: { patientId: true },
  });
  if (!step?.patientId) return null;
  const { patientId } = step;
  const signIn = await ctx.db.patientSignIn.findUnique({
    where: { tenantId_patientId: { tenantId, patientId } },
    select: { temporaryPassword: true, patient: { select: { email: true } } },
  });
  const sealed = signIn?.temporaryPassword;
  const temporary = sealed ? openTemporaryPassword(ctx, patientId, sealed) : null;
  return { email: signIn?.patient.email ?? '', temporary };
}
