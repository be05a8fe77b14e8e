import type { RequestEmailChangeInput } from '#contract/address-changes.ts';
import { authorOf, requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { assertInCare, loadPatientFor } from '#server/patients/index.ts';
import { lockPerson } from '../../verification/person.ts';
import { sealCheck } from '../help/identity-check.ts';
import { isAddressTaken } from './release-address.ts';
import { sealRequestedEmail } from './requested-email-change.ts';

const LIFETIME = 1 * DAY;

/**
 * Requests another email address for a patient who signs in: a link goes there, and nothing changes until it is opened.
 * Records how the staff user checked the patient's identity. A newer request replaces a pending one.
 * @throws `conflict`, `email_taken`, `patient_archived`
 */
export async function requestEmailChange(ctx: Context, input: RequestEmailChangeInput): Promise<void> {
  requireStaff(ctx.actor, 'patients:write');
  const { tenantId } = ctx;
  const { patient_id: patientId, email } = input;
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${patientId}`);
    await assertChangeAllowed(tx, ctx, patientId, email);
    const now = ctx.clock.now();
    const token = newLinkToken(tenantId);
    const helpId = newId(now);
    const expiresAt = new Date(now.getTime() + LIFETIME);
    const own = { tenantId, patientId };
    const identityCheck = sealCheck(ctx, helpId, input.identity_check);
    const staffUserId = authorOf(ctx.actor).id;
    await tx.signInHelp.create({
      data: { id: helpId, ...own, staffUserId, way: 'email', identityCheck, createdAt: now },
    });
    const columns = {
      tokenHash: sha256(token),
      email: sealRequestedEmail(ctx, patientId, email),
      helpId,
      expiresAt,
      confirmedAt: null,
      createdAt: now,
    };
    const where = { tenantId_patientId: own };
    await tx.askedEmailChange.upsert({ where, create: { ...own, ...columns }, update: columns });
    // The token is in the fragment, which no server or log sees.
    const url = `${ctx.config.publicUrl}/confirm-email#${token}`;
    await sendMessage(tx, ctx, { kind: 'email_asked', to: email, patientId, url, until: expiresAt.toISOString() });
    await record(tx, ctx, {
      action: 'sign_ins.request_email_change',
      object: { type: 'Patient', id: patientId },
      patientId,
      details: { identity_check: helpId },
    });
  });
}

async function assertChangeAllowed(tx: Tx, ctx: Context, patientId: string, email: string): Promise<void> {
  const source = { source: { pointer: '/email' } };
  const patient = await loadPatientFor(ctx, patientId, tx);
  assertInCare(patient);
  if (!patient.canSignIn)
    throw apiError('conflict', 'This patient does not sign in: write the new address in their details.', source);
  const signIn = await tx.patientSignIn.findUnique({
    where: { tenantId_patientId: { tenantId: ctx.tenantId, patientId } },
  });
  if (signIn?.resetRequiredAt)
    throw apiError('conflict', 'Sign-in is locked since a change was undone: help the patient with signing in first.');
  if (email === patient.email && patient.emailVerified)
    throw apiError('conflict', 'This is the patient’s address already, and they have confirmed it.', source);
  if (await isAddressTaken(tx, ctx, { patientId, email }))
    throw apiError('email_taken', 'Another patient has this email address.', source);
}

/** Withdraws a pending request; its link stops working. Repeating it changes nothing. */
export async function withdrawEmailChange(ctx: Context, { patient_id: id }: { patient_id: string }): Promise<void> {
  requireStaff(ctx.actor, 'patients:write');
  await ctx.db.$transaction(async (tx) => {
    await lockPerson(tx, `${ctx.tenantId}:${id}`);
    await loadPatientFor(ctx, id, tx);
    const pending = { tenantId: ctx.tenantId, patientId: id, confirmedAt: null };
    const { count } = await tx.askedEmailChange.deleteMany({ where: pending });
    if (count === 0) return;
    const object = { type: 'Patient', id };
    await record(tx, ctx, { action: 'sign_ins.withdraw_email_change', object, patientId: id });
  });
}
