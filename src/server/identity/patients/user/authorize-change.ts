import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { unauthorized } from '../../sessions/authenticate-bearer.ts';
import { isKnownDevice } from '../../verification/known-device.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { findProof } from '../proofs/proof.ts';
import { requirePatient, requireSession } from './require-patient.ts';

/** The author of a change of an address, and how they authenticated in addition to the token. */
export type ChangeAuthor = { patientId: string; clientId: string } & (
  | { by: 'device' | 'password'; sessionId: string }
  /** `address` is the keyed hash of the address that got the code. */
  | { by: 'code'; sessionId: string; address: string }
  | { by: 'impersonation' }
);

/** Key under which a pending change is stored: another session of the same patient does not overwrite it. */
export const pendingChangeKey = (changer: ChangeAuthor): string =>
  personAt(changer.patientId, changer.by === 'impersonation' ? changer.clientId : changer.sessionId);

type Shown = { device?: string | undefined; proof?: string | undefined };

/**
 * Requires more than an access token, which may be stolen: a known device of the account, or a proof. An application
 * that acts for a patient may change an address only while the patient does not sign in.
 * @throws `proof_required`, `forbidden`
 */
export async function authorizeChange(ctx: Context, { device, proof }: Shown): Promise<ChangeAuthor> {
  const { patientId, clientId, impersonatedBy } = requirePatient(ctx);
  if (impersonatedBy !== null) {
    await refuseIfSigningIn(ctx.db, ctx, patientId);
    return { patientId, clientId, by: 'impersonation' };
  }
  const { sessionId } = requireSession(ctx);
  const prover = { patientId, clientId, sessionId };
  // Prefer a proof by code to the old address, which then needs no notification.
  const proved = proof ? await findProof(ctx.db, ctx, prover, proof) : null;
  if (proved) return { ...prover, ...proved };
  if (device && (await isKnownDevice(ctx.db, ctx, device, { patientId }))) return { ...prover, by: 'device' };
  throw apiError('proof_required', 'To change this, please sign in again on this device first.');
}

/**
 * Repeats the check inside the transaction of the change: the session may have ended, or an invitation been sent,
 * since.
 */
export async function assertStillAuthorized(tx: Tx, ctx: Context, changer: ChangeAuthor): Promise<void> {
  const { tenantId } = ctx;
  if (changer.by === 'impersonation') return refuseIfSigningIn(tx, ctx, changer.patientId);
  const { sessionId: id, patientId } = changer;
  const live = { tenantId, id, patientId, endedAt: null, patient: { archivedAt: null } };
  if ((await tx.patientSession.count({ where: live })) === 0)
    throw unauthorized('invalid_token', 'The session has ended; sign in again.');
}

/** Returns whether the old address itself confirmed the change, so that it needs no undo link. */
export const confirmedBy = (ctx: Context, changer: ChangeAuthor, address: string): boolean =>
  changer.by === 'code' && changer.address === personKey(ctx, address);

/** Returns whether a patient signs in, was invited to, or has an unconfirmed sign-up. */
export async function signsIn(db: Pick<Tx, 'patient'>, { tenantId }: Context, patientId: string): Promise<boolean> {
  const { canSignIn, signIn } = await db.patient.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { canSignIn: true, signIn: { select: { patientId: true } } },
  });
  return canSignIn || signIn !== null;
}

async function refuseIfSigningIn(db: Pick<Tx, 'patient'>, ctx: Context, patientId: string): Promise<void> {
  if (await signsIn(db, ctx, patientId))
    throw apiError(
      'forbidden',
      'This patient signs in: only they can change how, not an application that acts for them.',
    );
}
