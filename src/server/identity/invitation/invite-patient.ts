import type { InvitePatientInput, PatientView } from '#contract/patients.ts';
import { requireScope } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { invalid, refuse } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { sendMessage } from '../../messages/send-message.ts';
import { insertPatient } from '../../patients/insert-patient.ts';
import { planNewPatient } from '../../patients/plan-new-patient.ts';
import { refuseTaken } from '../../patients/refuse-taken.ts';
import { tenantToday } from '../../patients/tenant-today.ts';
import { lockPerson } from '../codes/lock-person.ts';
import { publicClients } from '../public-clients.ts';
import { readUsNumber } from '../read-us-number.ts';
import { invitationUrl } from './invitation-url.ts';
import { issueInvitation, makeTemporaryPassword } from './issue-invitation.ts';

/**
 * Creates a patient as `invited`. By e-mail they are sent a link and a temporary password; with a phone number alone, a
 * text saying that they can sign in with it. Errors: forbidden while the clinic has not turned invitations on.
 */
export async function invitePatient(ctx: Context, input: InvitePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const { db, tenantId } = ctx;
  const tenant = await db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  if (!tenant.invitesEnabled)
    throw refuse('forbidden', 'Inviting patients is off; an administrator can turn it on under API credentials.');
  const { email, phone_number } = input;
  if (!email && !phone_number) throw invalid('email', 'Give the e-mail address or the phone number to invite.');
  const number = email ? null : readUsNumber(phone_number ?? '');
  const plan = planNewPatient(input, await tenantToday(ctx));
  const invited = { ...plan, columns: { ...plan.columns, status: 'invited' } };
  const id = newId(ctx.clock.now());
  const { credentials } = await publicClients(ctx);
  const temporary = await makeTemporaryPassword();
  const write = db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${email ?? number}`);
    const view = await insertPatient(tx, ctx, {
      id,
      plan: invited,
      action: 'patients.invite',
      event: 'patient.invited',
    });
    if (email)
      await issueInvitation(tx, ctx, { patientId: id, email, url: invitationUrl(ctx, credentials), temporary });
    if (number) {
      if (await tx.patientSignIn.findFirst({ where: { tenantId, phoneNumber: number } }))
        throw refuse('conflict', 'Another patient signs in with this number.', {
          source: { pointer: '/phone_number' },
        });
      await tx.patientSignIn.create({ data: { tenantId, patientId: id, phoneNumber: number } });
      await sendMessage(tx, ctx, { kind: 'phone_invitation', to: number });
    }
    return view;
  });
  return write.catch(refuseTaken);
}
