import type { PatientView } from '#contract/patients.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { assertInCare, getPatient, loadPatientFor } from '#server/patients/index.ts';
import { publicClients } from '../../applications/public-client.ts';
import { invitationUrl, issueInvitation, makeTemporaryPassword } from './issue-invitation.ts';
import { recordInvitation } from './sent-invitations.ts';

/**
 * Sends an invitation again, valid for seven more days; the previous temporary password stops working.
 * @throws `conflict`; `patient_archived` while the patient's care is ending
 */
export async function resendInvitation(ctx: Context, { id }: { id: string }): Promise<PatientView> {
  requireStaff(ctx.actor, 'patients:write');
  const url = invitationUrl(ctx, (await publicClients(ctx)).credentials, id);
  const temporary = await makeTemporaryPassword(ctx);
  await ctx.db.$transaction(async (tx) => {
    const patient = await loadPatientFor(ctx, id, tx);
    const { status, email } = patient;
    const where = { tenantId_patientId: { tenantId: ctx.tenantId, patientId: id } };
    const signIn = await tx.patientSignIn.findUnique({ where });
    if (!signIn || !(status === 'invited' || signIn.temporaryUntil))
      throw apiError('conflict', 'This patient has no pending invitation.');
    assertInCare(patient);
    if (email && signIn.temporaryUntil) await issueInvitation(tx, ctx, { patientId: id, email, url, temporary });
    else if (signIn.phoneNumber) {
      await recordInvitation(tx, ctx, { patientId: id, to: signIn.phoneNumber, expiresAt: null });
      await sendMessage(tx, ctx, { kind: 'phone_invitation', to: signIn.phoneNumber, address: signIn.invitationUrl });
    }
    await record(tx, ctx, { action: 'invitations.resend', object: { type: 'Patient', id }, patientId: id });
  });
  return getPatient(ctx, { id });
}
