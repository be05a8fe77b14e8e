import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { keepStep, readStep } from '../../proving/steps.ts';

export const PROOF_LIFETIME = 15 * MINUTE;

/** The patient in person, in one session. */
export type Prover = { patientId: string; clientId: string; sessionId: string };
/** How somebody proved to be more than a token's holder; `address` stands for the one that the code went to. */
export type ProvedBy = { by: 'password' } | { by: 'code'; address: string };
type State = ProvedBy & { sessionId: string };

/**
 * Keeps a proof for its session, to be shown as often as needed until it runs out. It ends sooner with everything else
 * that waits in a patient's name: when an address or the password changes.
 * @param token where a repetition has to be given the same one
 */
export function keepProof(
  db: Pick<Tx, '$executeRaw'>,
  ctx: Context,
  { patientId, clientId, sessionId }: Prover,
  proved: ProvedBy,
  token?: string,
): Promise<string> {
  const state: State = { ...proved, sessionId };
  return keepStep(db, ctx, 'proof', {
    patientId,
    clientId,
    state,
    lifetimeMs: PROOF_LIFETIME,
    ...(token && { token }),
  });
}

/** What such a token proves of this patient in this session; null for anybody else's, a made-up and an old one. */
export async function readProof(
  db: Pick<Tx, '$queryRaw'>,
  ctx: Context,
  { patientId, sessionId }: Prover,
  token: string,
): Promise<ProvedBy | null> {
  const step = await readStep<State>(db, ctx, 'proof', token);
  return step?.patientId === patientId && step.state.sessionId === sessionId ? step.state : null;
}
