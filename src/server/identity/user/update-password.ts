import type { Context } from '../../core/context.ts';
import { invalid, refuse } from '../../core/errors.ts';
import type { Caller } from '../caller.ts';
import type { Inputs } from '../inputs.ts';
import { setPassword } from '../set-password.ts';
import { checkProof } from '../srp/check-proof.ts';
import { refuseWeak } from '../srp/refuse-weak.ts';
import { requireSession } from './require-patient.ts';

/**
 * Changes the password of who proves the old one; this session goes on, the others end.
 * Errors: forbidden, invalid_parameter at the verifier, expired_handshake, invalid_credentials, rate_limited.
 */
export async function updatePassword(
  ctx: Context,
  { handshake, M1, srp }: Inputs['updatePassword'],
  caller: Caller,
): Promise<{ M2: string }> {
  const { patientId, clientId, sessionId } = requireSession(ctx);
  const proof = await checkProof(ctx, handshake, M1);
  if (proof.patientId !== patientId || proof.clientId !== clientId)
    throw refuse('invalid_credentials', 'The password is wrong.');
  if (proof.identity !== srp.identity) throw invalid('srp/identity', 'An account keeps its identity.');
  await refuseWeak(ctx, caller, srp, { email: proof.patient.email ?? '' });
  await ctx.db.$transaction((tx) =>
    setPassword(tx, ctx, { patientId, srp, action: 'patients.change_password', exceptSession: sessionId }),
  );
  return { M2: proof.M2 };
}
