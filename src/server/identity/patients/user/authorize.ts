import type { Actor } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { unauthorized } from '../../sessions/authenticate-bearer.ts';
import { isKnownDevice } from '../../verification/known-device.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { findProof } from '../proofs/proof.ts';

type PatientActor = Extract<Actor, { kind: 'patient' }>;

/** Returns the patient of the request, impersonated or not. */
export function requirePatient({ actor }: Context): PatientActor {
  if (actor.kind !== 'patient') throw apiError('forbidden', 'Only a signed-in patient may do this.');
  return actor;
}

/** Requires the patient in person: no one else may change how they sign in. */
export function requireSession(ctx: Context): PatientActor & { sessionId: string } {
  const { sessionId, ...actor } = requirePatient(ctx);
  if (!sessionId || actor.impersonatedBy !== null)
    throw apiError('forbidden', 'Only the patient in person may do this, not an application that acts for them.');
  return { ...actor, sessionId };
}

/** The author of a change of an address, and how they authenticated in addition to the token. */
export type ChangeAuthor = { patientId: string; clientId: string } & (
  | { by: 'device' | 'password'; sessionId: string }
  /** `address` is the keyed hash of the address that got the code. */
  | { by: 'code'; sessionId: string; address: string }
  | { by: 'impersonation' }
);

/** Key under which a pending change is stored: another session of the same patient does not overwrite it. */
export const pendingChangeKey = (author: ChangeAuthor): string =>
  personAt(author.patientId, author.by === 'impersonation' ? author.clientId : author.sessionId);

type Credentials = { device?: string | undefined; proof?: string | undefined };

/**
 * Requires more than an access token, which may be stolen: a known device of the account, or a proof. An application
 * that acts for a patient may change an address only while the patient does not sign in.
 * @throws `proof_required`, `forbidden`
 */
export async function authorizeChange(ctx: Context, { device, proof }: Credentials): Promise<ChangeAuthor> {
  const { patientId, clientId, impersonatedBy } = requirePatient(ctx);
  if (impersonatedBy !== null) {
    await assertDoesNotSignIn(ctx.db, ctx, patientId);
    return { patientId, clientId, by: 'impersonation' };
  }
  const { sessionId } = requireSession(ctx);
  const owner = { patientId, clientId, sessionId };
  // Prefer a proof by code to the old address, which then needs no notification.
  const method = proof ? await findProof(ctx.db, ctx, owner, proof) : null;
  if (method) return { ...owner, ...method };
  if (device && (await isKnownDevice(ctx.db, ctx, device, { patientId }))) return { ...owner, by: 'device' };
  throw apiError('proof_required', 'To change this, please sign in again on this device first.');
}

/**
 * Repeats the check inside the transaction of the change: the session may have ended, or an invitation been sent,
 * since.
 */
export async function assertStillAuthorized(tx: Tx, ctx: Context, author: ChangeAuthor): Promise<void> {
  const { tenantId } = ctx;
  if (author.by === 'impersonation') return assertDoesNotSignIn(tx, ctx, author.patientId);
  const { sessionId: id, patientId } = author;
  const live = { tenantId, id, patientId, endedAt: null, patient: { archivedAt: null } };
  if ((await tx.patientSession.count({ where: live })) === 0)
    throw unauthorized('invalid_token', 'The session has ended; sign in again.');
}

/** Returns whether the old address itself confirmed the change, so that it needs no undo link. */
export const confirmedBy = (ctx: Context, author: ChangeAuthor, address: string): boolean =>
  author.by === 'code' && author.address === personKey(ctx, address);

/** Returns whether a patient signs in, was invited to, or has an unconfirmed sign-up. */
export async function signsIn(db: Pick<Tx, 'patient'>, { tenantId }: Context, patientId: string): Promise<boolean> {
  const { canSignIn, signIn } = await db.patient.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: patientId } },
    select: { canSignIn: true, signIn: { select: { patientId: true } } },
  });
  return canSignIn || signIn !== null;
}

async function assertDoesNotSignIn(db: Pick<Tx, 'patient'>, ctx: Context, patientId: string): Promise<void> {
  if (await signsIn(db, ctx, patientId))
    throw apiError(
      'forbidden',
      'This patient signs in: only they can change how, not an application that acts for them.',
    );
}
