import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Services } from '../../core/context.ts';
import { invalid, refuse } from '../../core/errors.ts';
import { IN_CARE } from '../../patients/in-care.ts';
import { asPatient } from '../as-patient.ts';
import type { Caller } from '../caller.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import { contextOfToken } from '../context-of-token.ts';
import type { Inputs } from '../inputs.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { issueTokens } from '../sessions/issue-tokens.ts';
import { setPassword } from '../set-password.ts';
import { takeStep } from '../srp/steps.ts';

/** Puts the patient's own password in place of an invitation's and signs in. Errors: expired_handshake. */
export async function completeInvitation(
  services: Services,
  caller: Caller,
  { continuation, srp, device }: Inputs['completeInvitation'],
): Promise<WireTokens> {
  const ctx = contextOfToken(services, caller, continuation);
  const session = await ctx?.db.$transaction(async (tx) => {
    const step = await takeStep<{ identity: string }>(tx, ctx, 'continuation', continuation);
    if (!step?.patientId) return null;
    if (step.state.identity !== srp.identity) throw invalid('srp/identity', 'An account keeps its identity.');
    const { patientId, clientId } = step;
    if ((await tx.patient.count({ where: { tenantId: ctx.tenantId, id: patientId, ...IN_CARE } })) === 0) return null;
    const inPatientsName = asPatient(ctx, patientId, clientId);
    await setPassword(tx, inPatientsName, { patientId, srp, action: 'patients.complete_invitation' });
    await confirmSignIn(tx, ctx, { patientId, clientId, proved: { emailVerified: true } });
    return beginSession(tx, ctx, { patientId, clientId, caller, device });
  });
  if (!ctx || !session) throw refuse('expired_handshake', 'This has taken too long; start again.');
  return issueTokens(ctx, session);
}
