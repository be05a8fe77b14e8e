import type { UpdatePatientInput } from '#contract/patients.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { keyedHash } from '#server/core/keyed-hash.ts';
import { lockPerson } from '#server/core/lock-person.ts';
import { endUnfinished } from './end-access.ts';
import type { PatientRecord } from './present-patient.ts';

type Given = UpdatePatientInput['email'];
type EmailColumns = { email?: string | null; emailVerified?: false; status?: string };
/** `details` are for the audit log: they contain only a hash of the previous address, for comparison. */
type EmailPlan = { columns: EmailColumns; details: Record<string, unknown> };

/**
 * Waits for concurrent sign-ins and invitations with the address or for the patient. Taken before the patient's row
 * lock, in the same order as they do.
 */
export async function lockEmail(tx: Tx, { tenantId }: Context, patientId: string, email: Given): Promise<void> {
  if (email === undefined) return;
  await lockPerson(tx, `${tenantId}:${patientId}`);
  if (email) await lockPerson(tx, `${tenantId}:${email}`);
  await tx.$queryRaw`
    select 1 from patient_sign_ins where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid for update`;
}

/**
 * Plans a new or removed email address for a patient without a sign-in. Ends what used the previous one: an invitation
 * sent there, or an unconfirmed sign-up.
 *
 * @throws forbidden, conflict.
 */
export async function planEmail(tx: Tx, ctx: Context, patient: PatientRecord, email: Given): Promise<EmailPlan> {
  if (email === undefined) return { columns: {}, details: {} };
  const source = { source: { pointer: '/email' } };
  if (ctx.actor.kind === 'patient')
    throw refuse('forbidden', 'A patient changes the email address by confirming the new one.', source);
  if (email === patient.email) return { columns: {}, details: {} };
  if (patient.canSignIn)
    throw refuse(
      'conflict',
      'This patient signs in: a new email address counts once they have confirmed it. They change it in the app, or staff begin it on the patient’s page.',
      source,
    );
  const ended = await endInvitation(tx, ctx, patient.id);
  return {
    columns: {
      email,
      emailVerified: false,
      // The status `invited` ends when the invitation opened no other sign-in method.
      ...(ended === 'all' && patient.status === 'invited' && { status: 'active' }),
    },
    details: {
      ...(patient.email && { email_before: hashEmail(ctx, patient.email) }),
      ...(ended && { ended_invitation: true }),
    },
  };
}

/** @returns `all` when no sign-in method is left, `part` when a phone number is, null when there was nothing to end */
async function endInvitation(tx: Tx, ctx: Context, patientId: string): Promise<'all' | 'part' | null> {
  const own = { tenantId: ctx.tenantId, patientId };
  const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: own } });
  if (!signIn?.srpIdentity) return null;
  await endUnfinished(tx, ctx, patientId);
  // Kept without the patient, so that the client that signed up does not learn of it.
  await tx.signUpAttempt.updateMany({ where: own, data: { patientId: null } });
  const open = { ...own, answeredAt: null, endedAt: null, expiresAt: { not: null } };
  await tx.sentInvitation.updateMany({ where: open, data: { endedAt: ctx.clock.now() } });
  if (!signIn.phoneNumber) {
    await tx.patientSignIn.delete({ where: { tenantId_patientId: own } });
    return 'all';
  }
  const none = { srpIdentity: null, salt: null, verifier: null, kdf: Prisma.DbNull };
  await tx.patientSignIn.update({
    where: { tenantId_patientId: own },
    data: { ...none, temporaryUntil: null, invitation: null },
  });
  return 'part';
}

const hashEmail = (ctx: Context, email: string): string =>
  keyedHash(ctx, 'patients/email', ctx.tenantId, email).toString('base64url');
