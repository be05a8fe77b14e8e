import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { isKnownDevice } from '../../proving/known-device.ts';
import { personAt, personKey } from '../../proving/person.ts';
import { unauthorized } from '../../sessions/authenticate-bearer.ts';
import { readProof } from '../proofs/proof.ts';
import { requirePatient, requireSession } from './require-patient.ts';

/** Who changes an address of a patient, and what they showed for it beside their token. */
export type Changer = { patientId: string; clientId: string } & (
  | { by: 'device' | 'password'; sessionId: string }
  /** `address` stands for the one that the code went to. */
  | { by: 'code'; sessionId: string; address: string }
  | { by: 'impersonation' }
);

/** Where a change is kept until its code is told: another session of the same patient does not overwrite it. */
export const placeOf = (changer: Changer): string =>
  personAt(changer.patientId, changer.by === 'impersonation' ? changer.clientId : changer.sessionId);

type Shown = { device?: string | undefined; proof?: string | undefined };

/**
 * Lets a patient change an address who shows more than a token, which may be stolen: a device that this account knows,
 * or a proof. Who acts for a patient may do it only where nobody signs in with it.
 * Errors: proof_required, forbidden.
 */
export async function requireChanger(ctx: Context, { device, proof }: Shown): Promise<Changer> {
  const { patientId, clientId, impersonatedBy } = requirePatient(ctx);
  if (impersonatedBy !== null) {
    await refuseIfSigningIn(ctx.db, ctx, patientId);
    return { patientId, clientId, by: 'impersonation' };
  }
  const { sessionId } = requireSession(ctx);
  const prover = { patientId, clientId, sessionId };
  // A code to the old address says most, for then it need not be told.
  const proved = proof ? await readProof(ctx.db, ctx, prover, proof) : null;
  if (proved) return { ...prover, ...proved };
  if (device && (await isKnownDevice(ctx.db, ctx, device, { patientId }))) return { ...prover, by: 'device' };
  throw refuse('proof_required', 'To change this, please sign in again on this device first.');
}

/** Again inside the transaction that makes the change: a session may have ended, or an invitation been sent, since. */
export async function assertStillChanger(tx: Tx, ctx: Context, changer: Changer): Promise<void> {
  const { tenantId } = ctx;
  if (changer.by === 'impersonation') return refuseIfSigningIn(tx, ctx, changer.patientId);
  const { sessionId: id, patientId } = changer;
  const live = { tenantId, id, patientId, endedAt: null, patient: { archivedAt: null } };
  if ((await tx.patientSession.count({ where: live })) === 0)
    throw unauthorized('invalid_token', 'The session has ended; sign in again.');
}

/** Whether the old address itself agreed to a change, so that it need not be able to undo it. */
export const confirmedBy = (ctx: Context, changer: Changer, address: string): boolean =>
  changer.by === 'code' && changer.address === personKey(ctx, address);

/** Whether a patient signs in, or was invited to, or waits to be confirmed. */
export async function signsIn(db: Pick<Tx, 'patient'>, { tenantId }: Context, patientId: string): Promise<boolean> {
  const { canSignIn, signIn } = await db.patient.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { canSignIn: true, signIn: { select: { patientId: true } } },
  });
  return canSignIn || signIn !== null;
}

async function refuseIfSigningIn(db: Pick<Tx, 'patient'>, ctx: Context, patientId: string): Promise<void> {
  if (await signsIn(db, ctx, patientId))
    throw refuse('forbidden', 'This patient signs in: only they may change how, not somebody acting for them.');
}
