import type { Context } from '#server/core/context.ts';
import { apiError, CarelaneError, invalidParameter } from '#server/core/errors.ts';
import { unauthorized } from '../../sessions/authenticate-bearer.ts';
import { rejectWeakPassword } from '../../srp/reject-weak-password.ts';
import type { Caller } from '../../verification/caller.ts';
import { verifySrpProof } from '../credentials/verify-srp-proof.ts';
import type { Inputs } from '../inputs.ts';
import { setPassword } from '../set-password.ts';
import { requirePatient, requireSession, signsIn } from './authorize.ts';

/**
 * Changes the password after a proof of the old one; ends all other sessions.
 * @throws `forbidden` (also without a password), `expired_handshake`, `invalid_credentials`, `invalid_parameter` at the
 * verifier, `rate_limited`
 */
export async function updatePassword(
  ctx: Context,
  { handshake, M1, srp }: Inputs['updatePassword'],
  caller: Caller,
): Promise<{ M2: string }> {
  await assertHasPassword(ctx);
  const { patientId, clientId, sessionId } = requireSession(ctx);
  const proof = await verifySrpProof(ctx, handshake, M1).catch(rethrowWithoutEmail);
  if (proof.patientId !== patientId || proof.clientId !== clientId) throw wrongPassword();
  if (proof.identity !== srp.identity) throw invalidParameter('srp/identity', 'An account keeps its identity.');
  await rejectWeakPassword(ctx, caller, srp, { email: proof.patient.email ?? '', queue: 'verified' });
  const action = 'patients.change_password' as const;
  const setting = { patientId, srp, action, exceptSession: sessionId, expectedSalt: proof.salt };
  const isSet = await ctx.db.$transaction((tx) => setPassword(tx, ctx, setting));
  if (!isSet) throw unauthorized('invalid_token', 'The session has ended; sign in again.');
  return { M2: proof.M2 };
}

const wrongPassword = () => apiError('invalid_credentials', 'The old password is wrong.');

/** A signed-in patient has typed no email address, so the error must not mention one. */
function rethrowWithoutEmail(error: unknown): never {
  throw error instanceof CarelaneError && error.code === 'invalid_credentials' ? wrongPassword() : error;
}

/** Rejects an application that acts for a patient without a sign-in, which may do everything else. */
async function assertHasPassword(ctx: Context): Promise<void> {
  const { patientId, impersonatedBy } = requirePatient(ctx);
  if (impersonatedBy !== null && !(await signsIn(ctx.db, ctx, patientId)))
    throw apiError('forbidden', 'This patient does not sign in, so there is no password to change.');
}
