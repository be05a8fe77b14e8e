import type { PatientView } from '#contract/patients.ts';
import { requireStaff } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { record } from '../../core/record.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { assertInCare } from '../../patients/assert-in-care.ts';
import { getPatient } from '../../patients/get-patient.ts';
import { loadPatientFor } from '../../patients/load-patient.ts';
import { publicClients } from '../public-clients.ts';
import { invitationUrl } from './invitation-url.ts';
import { issueInvitation, makeTemporaryPassword } from './issue-invitation.ts';

/**
 * Sends an invitation again, for seven more days; the temporary password before stops working.
 * Errors: conflict; patient_archived while their care is ending.
 */
export async function resendInvitation(ctx: Context, { id }: { id: string }): Promise<PatientView> {
  requireStaff(ctx.actor);
  const url = invitationUrl(ctx, (await publicClients(ctx)).credentials);
  const temporary = await makeTemporaryPassword();
  await ctx.db.$transaction(async (tx) => {
    const patient = await loadPatientFor(ctx, id, tx);
    const { status, email } = patient;
    const where = { tenantId_patientId: { tenantId: ctx.tenantId, patientId: id } };
    const signIn = await tx.patientSignIn.findUnique({ where });
    if (!signIn || !(status === 'invited' || signIn.temporaryUntil))
      throw refuse('conflict', 'This patient has no invitation that waits.');
    assertInCare(patient);
    if (email && signIn.temporaryUntil) await issueInvitation(tx, ctx, { patientId: id, email, url, temporary });
    else if (signIn.phoneNumber)
      await sendMessage(tx, ctx, { kind: 'phone_invitation', to: signIn.phoneNumber, address: signIn.invitationUrl });
    await record(tx, ctx, { action: 'invitations.resend', object: { type: 'Patient', id }, patientId: id });
  });
  return getPatient(ctx, { id });
}
