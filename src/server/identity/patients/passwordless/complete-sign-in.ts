import type { OneTimeCode } from '#generated/prisma/client.ts';
import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Context, Services } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import type { NewPatient } from '#server/patients/index.ts';
import { CARE_COLUMNS, isInCare } from '#server/patients/index.ts';
import { findPublicClient } from '../../applications/public-client.ts';
import { type BegunSession, beginSession, firstRefreshToken } from '../../sessions/begin-session.ts';
import { issueTokens } from '../../sessions/issue-tokens.ts';
import type { Caller } from '../../verification/caller.ts';
import { consumeCode } from '../../verification/codes/consume-code.ts';
import { openTarget } from '../../verification/codes/issue-code.ts';
import { invalidCode, verifyCode } from '../../verification/codes/verify-code.ts';
import { isKnownDevice, secretOfSession } from '../../verification/known-device.ts';
import { contextOfToken } from '../../verification/request-context.ts';
import { confirmSignIn } from '../confirm-sign-in.ts';
import type { Inputs } from '../inputs.ts';
import { planSignUp } from '../register-patient.ts';
import {
  applyPendingSignUp,
  findPendingSignUp,
  isUnconfirmed,
  openPendingSignUp,
  pendingSignUpKeys,
} from '../sign-ups/pending-sign-up.ts';

/**
 * Signs in with the code of the text message; the first sign-in confirms the patient. A code starts one session: a
 * repeated request (same Idempotency-Key) gets that session, until its refresh token is used.
 *
 * At the first sign-in the record gets the attributes that this device signed up with. A device without a sign-up gets
 * a blank record, even if it is the owner's second: attributes from another device may be another person's, and missing
 * ones are requested again.
 */
export async function completeSignIn(
  services: Services,
  caller: Caller,
  { challenge, code: enteredCode, device, attempt }: Inputs['passwordlessComplete'],
): Promise<WireTokens> {
  const ctx = contextOfToken(services, caller, challenge);
  if (!ctx) throw invalidCode();
  const code = await verifyCode(ctx, { purpose: 'sign_in', challenge }, enteredCode, { revealsState: true });
  await findPublicClient(services, code.clientId, caller, 'passwordless');
  const signUp = await readSignUp(ctx, code, attempt);
  const session = await startSession(ctx, caller, code, { device, signUp });
  if (!session) throw invalidCode();
  return issueTokens(ctx, session);
}

type SignUp = { plan: NewPatient; madeRecord: boolean; key: string | null };

/** Returns the record of a patient who signs in for the first time; null for others. */
async function readSignUp(ctx: Context, { patientId }: OneTimeCode, attempt?: string): Promise<SignUp | null> {
  const signIn =
    patientId &&
    (await ctx.db.patientSignIn.findUnique({
      where: { tenantId_patientId: { tenantId: ctx.tenantId, patientId } },
      include: { patient: true },
    }));
  if (!signIn || !isUnconfirmed(signIn) || !signIn.phoneNumber) return null;
  const address = { phone_number: signIn.phoneNumber };
  const pending = attempt
    ? await findPendingSignUp(ctx.db, ctx, pendingSignUpKeys(ctx, signIn.phoneNumber, attempt))
    : null;
  if (pending?.patientId !== patientId)
    return { plan: await planSignUp(ctx, address, {}), madeRecord: false, key: null };
  const { madeRecord, key } = pending;
  return {
    plan: await planSignUp(ctx, address, openPendingSignUp(ctx, pending).attributes, pending.createdAt),
    madeRecord,
    key,
  };
}

async function startSession(
  ctx: Context,
  caller: Caller,
  code: OneTimeCode,
  { device, signUp }: { device: string | undefined; signUp: SignUp | null },
): Promise<BegunSession | null> {
  const { tenantId } = ctx;
  const { patientId, clientId } = code;
  if (!patientId) return null;
  return ctx.db.$transaction(async (tx) => {
    const consumed = await consumeCode(tx, ctx, code, caller);
    if (consumed !== 'now') return consumed && findStartedSession(tx, ctx, code);
    if (signUp) await applyPendingSignUp(tx, ctx, { patientId, clientId, ...signUp });
    const { phoneNumber, patient, resetBy } = await tx.patientSignIn.findUniqueOrThrow({
      where: { tenantId_patientId: { tenantId, patientId } },
      include: { patient: { select: { ...CARE_COLUMNS, phoneNumber: true } } },
    });
    if (!isInCare(patient) || resetBy) return null;
    // A code texted while the number was being replaced went to one that no longer signs in.
    if (code.target && openTarget(ctx, code) !== phoneNumber) return null;
    const isPrimary = patient.phoneNumber === phoneNumber;
    await confirmSignIn(tx, ctx, {
      patientId,
      clientId,
      verified: isPrimary ? { phoneNumberVerified: true } : {},
    });
    if (signUp?.key) await tx.signUpAttempt.deleteMany({ where: { tenantId, key: signUp.key } });
    const session = await beginSession(tx, ctx, { patientId, clientId, caller, device });
    await tx.oneTimeCode.update({ where: { id: code.id }, data: { sessionId: session.sessionId } });
    return session;
  });
}

/** Returns the session that the same request started before, if its refresh token is unused. */
async function findStartedSession(tx: Tx, ctx: Context, { id }: OneTimeCode): Promise<BegunSession | null> {
  const code = await tx.oneTimeCode.findUnique({ where: { id } });
  if (!code?.sessionId) return null;
  const refreshToken = firstRefreshToken(ctx, code.sessionId);
  const first = await tx.refreshToken.findUnique({
    where: { tenantId_hash: { tenantId: ctx.tenantId, hash: sha256(refreshToken) } },
    include: { session: true },
  });
  if (!first || first.usedAt || first.session.endedAt) return null;
  const { id: sessionId, patientId, clientId, expiresAt } = first.session;
  // Return the device secret again if its row exists.
  const secret = secretOfSession(ctx, sessionId);
  const device = (await isKnownDevice(tx, ctx, secret, { patientId })) ? secret : null;
  return { sessionId, patientId, clientId, refreshToken, expiresAt, device };
}
