import type { HelpSignInInput } from '#contract/patient-sign-in.ts';
import { authorOf, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import {
  assertInCare,
  changeEmail,
  changePhone,
  loadPatientFor,
  rethrowUniqueViolation,
} from '#server/patients/index.ts';
import { publicClients } from '../../applications/public-client.ts';
import { lockPerson } from '../../verification/person.ts';
import { lockSignIn } from '../address-changes/lock-sign-in.ts';
import { releaseAddress } from '../address-changes/release-address.ts';
import { invitationUrl, issueInvitation, makeTemporaryPassword } from '../invitation/issue-invitation.ts';
import { parseUsNumber } from '../parse-us-number.ts';
import { sealCheck } from './identity-check.ts';

type Way = { email: string } | { phoneNumber: string };
const NO_PASSWORD = {
  srpIdentity: null,
  salt: null,
  verifier: null,
  kdf: Prisma.DbNull,
  temporaryUntil: null,
  invitation: null,
};

/**
 * Gives a patient who lost their phone, mailbox or password another way to sign in, the only one from then on, and
 * records how the staff user checked the identity. Ends the patient's sessions, pending steps and undo links, and
 * notifies the old address.
 * @throws `conflict`, `email_taken`, `phone_number_not_supported`, `patient_archived`
 */
export async function helpSignIn(ctx: Context, input: HelpSignInInput): Promise<void> {
  requireStaff(ctx.actor, 'patients:write');
  const way: Way = input.email ? { email: input.email } : { phoneNumber: parseUsNumber(input.phone_number ?? '') };
  const url = invitationUrl(ctx, (await publicClients(ctx)).credentials, input.patient_id);
  const temporary = 'email' in way ? await makeTemporaryPassword(ctx) : null;
  const help = ctx.db.$transaction(async (tx) => {
    const { tenantId } = ctx;
    const { patient_id: patientId } = input;
    await lockPerson(tx, `${tenantId}:${patientId}`);
    const patient = await loadPatientFor(ctx, patientId, tx);
    assertInCare(patient);
    const own = { tenantId, patientId };
    const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: own } });
    if (!signIn || !patient.canSignIn)
      throw apiError('conflict', 'This patient has not signed in yet. Invite them, or send the invitation again.');
    const now = ctx.clock.now();
    await lockSignIn(tx, ctx, patientId, { reason: 'helped', now });
    await tx.addressChange.updateMany({ where: { ...own, endedAt: null }, data: { endedAt: now } });
    const before = signIn.srpIdentity ? patient.email : signIn.phoneNumber;
    await replaceAddress(tx, ctx, patientId, way);
    const unlocked = { resetRequiredAt: null, resetBy: null };
    if ('email' in way && temporary) {
      await issueInvitation(tx, ctx, { patientId, email: way.email, url, temporary });
      await tx.patientSignIn.update({ where: { tenantId_patientId: own }, data: { phoneNumber: null, ...unlocked } });
    } else if ('phoneNumber' in way) {
      const data = { phoneNumber: way.phoneNumber, ...NO_PASSWORD, ...unlocked };
      await tx.patientSignIn.update({ where: { tenantId_patientId: own }, data });
      await sendMessage(tx, ctx, { kind: 'phone_helped', to: way.phoneNumber, patientId });
    }
    const after = 'email' in way ? way.email : way.phoneNumber;
    if (before && before !== after) await sendMessage(tx, ctx, { kind: 'sign_in_moved', to: before, patientId });
    await recordHelp(tx, ctx, patientId, 'email' in way ? 'email' : 'phone', input.identity_check);
  });
  await help.catch(rethrowUniqueViolation);
}

async function replaceAddress(tx: Tx, ctx: Context, patientId: string, way: Way): Promise<void> {
  await lockPerson(tx, `${ctx.tenantId}:${'email' in way ? way.email : way.phoneNumber}`);
  const isFree = await releaseAddress(tx, ctx, { patientId, ...way });
  const action = 'sign_ins.change';
  if ('email' in way) {
    if (!isFree)
      throw apiError('email_taken', 'Another patient has this email address.', { source: { pointer: '/email' } });
    await changeEmail(tx, ctx, patientId, { email: way.email, verified: false, action });
    return;
  }
  if (!isFree)
    throw apiError('conflict', 'Another patient signs in with this number.', { source: { pointer: '/phone_number' } });
  await changePhone(tx, ctx, patientId, { number: way.phoneNumber, verified: false, action });
}

/** The text may describe the patient, so the audit log only names the record that holds it. */
async function recordHelp(
  tx: Tx,
  ctx: Context,
  patientId: string,
  way: 'email' | 'phone',
  check: string,
): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const staffUserId = authorOf(ctx.actor).id;
  const identityCheck = sealCheck(ctx, id, check);
  await tx.signInHelp.create({ data: { id, tenantId, patientId, staffUserId, way, identityCheck, createdAt: now } });
  await record(tx, ctx, {
    action: 'sign_ins.help',
    object: { type: 'Patient', id: patientId },
    patientId,
    details: { way, identity_check: id },
  });
}
