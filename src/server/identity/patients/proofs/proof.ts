import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Queryable } from '#server/core/db.ts';
import { findStep, storeStep } from '../../verification/steps.ts';

export const PROOF_LIFETIME = 15 * MINUTE;

/** The patient in person, in one session. */
export type ProofOwner = { patientId: string; clientId: string; sessionId: string };
/**
 * How the caller proved to be more than a token's holder; `address` is the keyed hash of the address that got the code.
 */
export type ProofMethod = { by: 'password' } | { by: 'code'; address: string };
type State = ProofMethod & { sessionId: string };

/**
 * Stores a proof for its session, reusable until it expires. It ends earlier with the patient's other pending steps,
 * when an address or the password changes.
 * @param token given when a repeated request has to return the same one
 */
export function storeProof(
  db: Queryable,
  ctx: Context,
  { patientId, clientId, sessionId }: ProofOwner,
  method: ProofMethod,
  token?: string,
): Promise<string> {
  const state: State = { ...method, sessionId };
  return storeStep(db, ctx, 'proof', {
    patientId,
    clientId,
    state,
    lifetimeMs: PROOF_LIFETIME,
    ...(token && { token }),
  });
}

/** Reads a proof of this patient in this session; null for an unknown, expired or other one. */
export async function findProof(
  db: Queryable,
  ctx: Context,
  { patientId, sessionId }: ProofOwner,
  token: string,
): Promise<ProofMethod | null> {
  const step = await findStep<State>(db, ctx, 'proof', token);
  return step?.patientId === patientId && step.state.sessionId === sessionId ? step.state : null;
}
