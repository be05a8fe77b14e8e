import { timingSafeEqual } from 'node:crypto';
import { fromHex, toHex, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import type { Context } from '#server/core/context.ts';
import { commitWithoutWaiting, Prisma } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { FAILURE_POLICY } from '#server/core/rate-limits.ts';
import { isInCare } from '#server/patients/index.ts';
import type { UserColumns } from '../../sessions/present-user.ts';
import {
  type AttemptCounters,
  clearCounters,
  clearCountersSql,
  recordFailedSignIn,
} from '../../verification/failures.ts';
import { notifyPatient } from '../../verification/lockout/notify-patient.ts';
import { type ConsumedHandshake, consumeHandshake, expiredHandshake } from './consume-handshake.ts';
import type { SignUpHandle } from './start-srp.ts';

const NO_PROOF = new Uint8Array(32);

type VerifiedAccount = { patientId: string; patient: VerifiedPatient };
/** Password of an unconfirmed sign-up: it grants no access. */
type VerifiedSignUp = { patientId: null; signUp: SignUpHandle };
export type VerifiedPassword = (VerifiedAccount | VerifiedSignUp) & {
  clientId: string;
  identity: string;
  salt: string;
  M2: string;
};

/**
 * The second step of a password proof: verifies it and returns the account and the server's own proof. An unknown
 * account costs as much as a wrong password.
 * @throws `expired_handshake`, `rate_limited`, `sign_in_closed`, `invalid_credentials`
 */
export async function verifySrpProof(ctx: Context, handshake: string, M1: string): Promise<VerifiedPassword> {
  const step = await consumeHandshake(ctx, handshake);
  if (!step) throw expiredHandshake();
  const { patientId, clientId, counters } = step;
  const { identity, salt, signUp, email: _, device: __, ...numbers } = step.state;
  const number = (name: keyof typeof numbers) => toInteger(fromHex(numbers[name], SRP_GROUP.byteLength));
  const proofs = await ctx.identity.srp.settle({
    identity,
    salt: Buffer.from(salt, 'hex'),
    v: number('v'),
    b: number('b'),
    A: number('A'),
    B: number('B'),
  });
  const isRight = timingSafeEqual(Buffer.from(M1, 'hex'), proofs?.M1 ?? NO_PROOF) && proofs !== null;
  if (isRight && signUp) {
    await clearCounters(ctx, counters);
    return { patientId: null, signUp, clientId, identity, salt, M2: toHex(proofs.M2) };
  }
  const patient = isRight && patientId !== null ? await findVerifiedPatient(ctx, { patientId, counters }) : null;
  if (!patientId || !proofs || !patient || !isInCare(patient) || patient.salt !== salt) {
    if (patientId) recordFailedSignIn(ctx, patientId, 'invalid_credentials');
    if (step.inRow === FAILURE_POLICY.maxInRow) await onLastAllowedFailure(ctx, step);
    throw wrongPassword();
  }
  return { patientId, clientId, patient, identity, salt, M2: toHex(proofs.M2) };
}

/**
 * After the last allowed wrong password: removes the known device, or notifies the owner of the lockout of unknown
 * devices.
 */
async function onLastAllowedFailure(
  ctx: Context,
  { patientId, clientId, counters, state }: ConsumedHandshake,
): Promise<void> {
  const { email, device, signUp } = state;
  const { tenantId } = ctx;
  const { row } = counters;
  if (signUp || row === null) return;
  if (!device) return notifyPatient(ctx, { row, email, patientId, clientId });
  await ctx.db.knownDevice.deleteMany({ where: { tenantId, hash: device } });
  await ctx.db.signInFailure.deleteMany({ where: { tenantId, key: row } });
}

const wrongPassword = () => apiError('invalid_credentials', 'The email address or the password is wrong.');

/** Columns of a patient with a verified password, as a sign-in needs them. */
type VerifiedPatient = UserColumns & {
  archivedAt: Date | null;
  careEndingAt: Date | null;
  canSignIn: boolean;
  /** Salt of the current password. */
  salt: string | null;
  confirmedAt: Date | null;
  temporaryUntil: Date | null;
  /** What a required reset takes; null when none is required. */
  resetBy: 'password' | 'staff' | null;
};

/** Resets the attempts that were counted as wrong and reads the patient, in one statement. */
async function findVerifiedPatient(
  ctx: Context,
  { patientId, counters }: { patientId: string; counters: AttemptCounters },
): Promise<VerifiedPatient | null> {
  const { tenantId } = ctx;
  const [patient] = await ctx.db.$query<VerifiedPatient>(Prisma.sql`
    with ${clearCountersSql(ctx, counters)}
    select p.archived_at as "archivedAt", p.care_ending_at as "careEndingAt", p.can_sign_in as "canSignIn", p.email, p.email_verified as "emailVerified",
      p.phone_number as "phoneNumber", p.phone_number_verified as "phoneNumberVerified",
      s.phone_number as "signInPhone", s.srp_identity as "srpIdentity", s.salt, s.confirmed_at as "confirmedAt",
      s.temporary_until as "temporaryUntil", s.reset_by as "resetBy",
      ${commitWithoutWaiting(ctx.db)}
    from patients p left join patient_sign_ins s on s.tenant_id = p.tenant_id and s.patient_id = p.id
    where p.tenant_id = ${tenantId}::uuid and p.id = ${patientId}::uuid`);
  return patient ?? null;
}
