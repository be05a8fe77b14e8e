import type { Context } from '../../core/context.ts';
import { CarelaneError, invalid, refuse } from '../../core/errors.ts';
import type { Inputs } from '../inputs.ts';
import { setPassword } from '../set-password.ts';
import { checkProof } from '../srp/check-proof.ts';
import { requireSession } from './require-patient.ts';

/**
 * Changes the password of who proves the old one; this session goes on, the others end.
 * Errors: forbidden, expired_handshake, invalid_credentials, rate_limited.
 */
export async function updatePassword(
  ctx: Context,
  { handshake, M1, srp }: Inputs['updatePassword'],
): Promise<{ M2: string }> {
  const { patientId, clientId, sessionId } = requireSession(ctx);
  const proof = await checkProof(ctx, handshake, M1).catch(inWordsOfOwner);
  if (proof.patientId !== patientId || proof.clientId !== clientId) throw wrongPassword();
  if (proof.identity !== srp.identity) throw invalid('srp/identity', 'An account keeps its identity.');
  await ctx.db.$transaction((tx) =>
    setPassword(tx, ctx, { patientId, srp, action: 'patients.change_password', exceptSession: sessionId }),
  );
  return { M2: proof.M2 };
}

const wrongPassword = () => refuse('invalid_credentials', 'The old password is wrong.');

/** Whoever is signed in has given no e-mail address that could be wrong. */
function inWordsOfOwner(error: unknown): never {
  throw error instanceof CarelaneError && error.code === 'invalid_credentials' ? wrongPassword() : error;
}
