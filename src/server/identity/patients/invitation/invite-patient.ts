import type { InvitePatientInput, PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, CarelaneError, invalidParameter } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { insertPatient, planNewPatient, rethrowUniqueViolation, tenantToday } from '#server/patients/index.ts';
import { assertOwnWebsites } from '../../applications/origins/allowed-origins.ts';
import { publicClients } from '../../applications/public-client.ts';
import { lockPerson } from '../../verification/person.ts';
import { releaseAddress } from '../address-changes/release-address.ts';
import { parseUsNumber } from '../parse-us-number.ts';
import { invitePhone } from './invite-phone.ts';
import { invitationUrl, issueInvitation, makeTemporaryPassword } from './issue-invitation.ts';
import { assertInvitesEnabled } from './set-invites.ts';

/**
 * Creates a patient as `invited`. An email address gets a link and a temporary password; a phone number alone gets a
 * text message that it can sign in. Either may link to the clinic's own app.
 * @throws `forbidden` while the clinic has not turned invitations on
 */
export async function invitePatient(ctx: Context, input: InvitePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  await assertInvitesEnabled(ctx);
  const { db, tenantId } = ctx;
  const { confirmation_url, passwordless_login_url, ...patient } = input;
  const { email } = patient;
  const plan = planNewPatient(patient, await tenantToday(ctx));
  const phone = plan.phones.rows.find((row) => row.primary);
  if (!email && !phone) throw invalidParameter('email', 'Give the email address or the phone number to invite.');
  const rowPointer = plan.phones.pointers.get(phone?.id ?? '') ?? '';
  const pointer = rowPointer === '/phone_number' ? rowPointer : `${rowPointer}/number`;
  const number = email || !phone ? null : parseUsNumber(phone.number, pointer);
  await assertOwnWebsites(ctx, { confirmation_url, passwordless_login_url });
  const invited = { ...plan, columns: { ...plan.columns, status: 'invited' } };
  const id = newId(ctx.clock.now());
  const { credentials } = await publicClients(ctx);
  const temporary = await makeTemporaryPassword(ctx);
  const write = db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${email ?? number}`);
    if (email) await releaseAddress(tx, ctx, { patientId: id, email });
    const view = await insertPatient(tx, ctx, {
      id,
      plan: invited,
      action: 'patients.invite',
      event: 'patient.invited',
    });
    if (email) {
      const url = invitationUrl(ctx, credentials, id);
      await issueInvitation(tx, ctx, { patientId: id, email, url, temporary, address: confirmation_url ?? null });
    }
    if (number) {
      const address = passwordless_login_url ?? null;
      await invitePhone(tx, ctx, { patientId: id, number, address, source: { pointer } });
    }
    return view;
  });
  return write.catch(rethrowUniqueViolation).catch(async (error: unknown) => {
    throw (email && (await explainTaken(ctx, email, error))) || error;
  });
}

/** For a taken address: an error that says how to invite that patient. */
async function explainTaken({ db, tenantId, trail }: Context, email: string, error: unknown): Promise<Error | null> {
  if (!(error instanceof CarelaneError) || error.code !== 'email_taken') return null;
  const existing = await db.patient.findFirst({ where: { tenantId, email, archivedAt: null }, select: { id: true } });
  if (!existing) return null;
  trail.patients.add(existing.id);
  return apiError(
    'email_taken',
    `Another patient has this email address. To invite that one, send POST /patients/${existing.id}/invite.`,
    {
      people: 'Another patient has this email address. Invite that one from their page.',
      source: { pointer: '/email' },
      meta: { patient_id: existing.id },
    },
  );
}
