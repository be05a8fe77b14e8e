import type { Wire } from '#sdk/protocol/endpoints.ts';
import { MINUTE, SECOND } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import type { Caller } from '../caller.ts';
import { contextOfToken } from '../context-of-token.ts';
import { findPublicClient } from '../find-public-client.ts';
import type { Inputs } from '../inputs.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { issueTokens } from '../sessions/issue-tokens.ts';
import { checkProof } from '../srp/check-proof.ts';
import { keepStep } from '../srp/steps.ts';

const CONTINUATION_LIFETIME = 10 * MINUTE;

/**
 * The second half of a sign-in by password. A temporary password is answered with a continuation.
 * Errors: expired_handshake, invalid_credentials, account_not_confirmed, invitation_expired, rate_limited.
 */
export async function finish(
  services: Services,
  caller: Caller,
  { handshake, M1 }: Inputs['srpFinish'],
): Promise<Wire['srpFinish']['answer']> {
  const ctx = contextOfToken(services, caller, handshake);
  if (!ctx) throw refuse('expired_handshake', 'This sign-in has taken too long; start again.');
  const { patientId, clientId, identity, M2 } = await checkProof(ctx, handshake, M1);
  await findPublicClient(services, clientId, caller, 'credentials');
  const { tenantId } = ctx;
  const patient = await ctx.db.patient.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { archivedAt: true, canSignIn: true, signIn: true },
  });
  const { confirmedAt, temporaryUntil, srpIdentity } = patient.signIn ?? {};
  if (patient.archivedAt || srpIdentity !== identity)
    throw refuse('invalid_credentials', 'The e-mail address or the password is wrong.');
  if (temporaryUntil) {
    if (temporaryUntil <= ctx.clock.now())
      throw refuse('invitation_expired', 'This invitation has expired. Ask for a new one.');
    const step = { patientId, clientId, state: { identity }, lifetimeMs: CONTINUATION_LIFETIME };
    const continuation = await keepStep(ctx.db, ctx, 'continuation', step);
    return { M2, new_password_required: true, continuation, expires_in: CONTINUATION_LIFETIME / SECOND };
  }
  if (!confirmedAt || !patient.canSignIn)
    throw refuse('account_not_confirmed', 'Confirm your e-mail address first, with the code that was mailed to it.');
  const session = await ctx.db.$transaction((tx) => beginSession(tx, ctx, { patientId, clientId, caller }));
  return { M2, ...(await issueTokens(ctx, session)) };
}
