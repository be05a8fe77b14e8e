import type { Patient, PatientSignIn, SignUpAttempt } from '#generated/prisma/client.ts';
import { HOUR, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { rateLimited } from '#server/core/errors.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { MAX_PENDING_SIGN_UPS } from '#server/core/rate-limits.ts';
import { shortenUserAgent } from '#server/core/user-agent.ts';
import type { NewPatient } from '#server/patients/index.ts';
import { IN_CARE, isInCare, replacePatient } from '#server/patients/index.ts';
import type { Registration } from '../../srp/registration.ts';
import { registrationColumns } from '../../srp/verifier.ts';
import type { Caller } from '../../verification/caller.ts';
import { personAt, personKey } from '../../verification/person.ts';
import { asPatient } from '../../verification/request-context.ts';
import type { Inputs } from '../inputs.ts';

/** Data of one device's sign-up; without a password for sign-in by codes. */
type Content = { srp?: Registration; attributes: Inputs['signUp']['attributes'] };
/** Keys of a pending sign-up: the address together with a secret that only the device has, and the address alone. */
type PendingSignUpKeys = { key: string; person: string };

export const pendingSignUpKeys = (ctx: Context, address: string, deviceSecret: string): PendingSignUpKeys => ({
  key: personKey(ctx, personAt(address, deviceSecret)),
  person: personKey(ctx, address),
});

const boundTo = (tenantId: string, key: string) => `sign_up_attempts/${tenantId}/${key}/content`;

export const openPendingSignUp = (ctx: Context, { key, content }: Pick<SignUpAttempt, 'key' | 'content'>): Content =>
  JSON.parse(ctx.cipher.open(content, boundTo(ctx.tenantId, key)));

export async function findPendingSignUp(
  db: Pick<Tx, 'signUpAttempt'>,
  { tenantId }: Context,
  { key }: Pick<PendingSignUpKeys, 'key'>,
): Promise<SignUpAttempt | null> {
  return db.signUpAttempt.findUnique({ where: { tenantId_key: { tenantId, key } } });
}

type NewPendingSignUp = PendingSignUpKeys & {
  /** The patient that it may become; null if the address is taken: the row is written in any case. */
  patientId: string | null;
  clientId: string;
  content: Content;
  /** Whether the patient's record was created from this sign-up. */
  madeRecord: boolean;
};

/**
 * Stores a device's sign-up. Replaces its previous one for the address; those of other devices stay.
 * @throws `rate_limited` for too many from one source
 */
export async function storePendingSignUp(
  tx: Tx,
  ctx: Context,
  caller: Caller,
  pending: NewPendingSignUp,
): Promise<SignUpAttempt> {
  const { tenantId } = ctx;
  const { key, person, patientId, clientId, content, madeRecord } = pending;
  const now = ctx.clock.now();
  const source = personKey(ctx, sourceOf(caller.ip));
  const older = await tx.signUpAttempt.findMany({
    where: { tenantId, person, source, key: { not: key } },
    orderBy: { askedAt: 'desc' },
    select: { key: true, askedAt: true },
    skip: MAX_PENDING_SIGN_UPS - 1,
  });
  if (older[0] && older[0].askedAt.getTime() > now.getTime() - HOUR)
    throw rateLimited('Too many sign-ups with this address from here; try again in an hour.', HOUR / SECOND);
  await tx.signUpAttempt.deleteMany({ where: { tenantId, key: { in: older.map((row) => row.key) } } });
  const values = {
    person,
    source,
    patientId,
    clientId,
    content: ctx.cipher.seal(JSON.stringify(content), boundTo(tenantId, key)),
    madeRecord,
    userAgent: shortenUserAgent(caller.userAgent),
    askedAt: now,
    createdAt: now,
  };
  return tx.signUpAttempt.upsert({
    where: { tenantId_key: { tenantId, key } },
    create: { tenantId, key, ...values },
    update: values,
  });
}

/** An unconfirmed sign-up; only then can a pending sign-up take effect. Patients created by the clinic do not match. */
const UNCONFIRMED = {
  confirmedAt: null,
  temporaryUntil: null,
  patient: { ...IN_CARE, status: { not: 'invited' } },
};

/** Returns whether a loaded sign-in matches `UNCONFIRMED`. */
export const isUnconfirmed = (signIn: SignInState): boolean =>
  !signIn.confirmedAt && !signIn.temporaryUntil && isInCare(signIn.patient) && signIn.patient.status !== 'invited';

type SignInState = Pick<PatientSignIn, 'confirmedAt' | 'temporaryUntil'> & {
  patient: Pick<Patient, 'archivedAt' | 'careEndingAt' | 'status'>;
};

type AppliedSignUp = {
  patientId: string;
  clientId: string;
  srp?: Registration | undefined;
  plan: NewPatient;
  /** Whether the record was created from this sign-up; it may hold later edits by the clinic. */
  madeRecord: boolean;
};

/**
 * Puts one device's sign-up into effect, with password and attributes, over any others of the address; the caller has
 * verified its code. Returns false if the patient is no longer unconfirmed.
 */
export async function applyPendingSignUp(
  tx: Tx,
  ctx: Context,
  { patientId, clientId, srp, plan, madeRecord }: AppliedSignUp,
): Promise<boolean> {
  const { count } = await tx.patientSignIn.updateMany({
    where: { tenantId: ctx.tenantId, patientId, ...UNCONFIRMED },
    data: srp ? registrationColumns(ctx, patientId, srp) : { updatedAt: ctx.clock.now() },
  });
  if (count === 0) return false;
  if (!madeRecord)
    await replacePatient(tx, asPatient(ctx, patientId, clientId), {
      id: patientId,
      plan,
      action: 'patients.sign_up',
    });
  return true;
}
