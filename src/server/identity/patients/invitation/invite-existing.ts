import type { InviteExistingInput, PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { assertInCare, endPendingSignIns, loadPatientFor, lockPatient, markInvited } from '#server/patients/index.ts';
import { assertOwnWebsites } from '../../applications/origins/allowed-origins.ts';
import { publicClients } from '../../applications/public-client.ts';
import { lockPerson } from '../../verification/person.ts';
import { parseUsNumber } from '../parse-us-number.ts';
import { invitePhone } from './invite-phone.ts';
import { invitationUrl, issueInvitation, makeTemporaryPassword } from './issue-invitation.ts';
import { assertInvitesEnabled } from './set-invites.ts';

/**
 * Invites an existing patient who cannot sign in yet, as an explicit act of the clinic: one created by the API, one
 * with a pending invitation, or an unconfirmed sign-up, which ends. Uses the email on record, else a text message to
 * the primary phone. Can be repeated. A patient who had signed in before they were archived is invited by staff only,
 * who check the identity.
 * @throws `forbidden`, `patient_archived`, `phone_number_not_supported`; `conflict` for one who signs in, or has no
 * address
 */
export async function inviteExisting(ctx: Context, input: InviteExistingInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  await assertInvitesEnabled(ctx);
  const { id, ...appLinks } = input;
  const before = await loadPatientFor(ctx, id);
  assertInvitable(ctx, before);
  await assertOwnWebsites(ctx, appLinks);
  const url = invitationUrl(ctx, (await publicClients(ctx)).credentials, id);
  const temporary = before.email ? await makeTemporaryPassword(ctx) : null;
  return ctx.db.$transaction(async (tx) => {
    // Serialized with an application that acts for the patient and changes the address, which could otherwise get the
    // invitation.
    await lockPerson(tx, `${ctx.tenantId}:${id}`);
    const person = before.email ?? before.phoneNumber ?? '';
    await lockPerson(tx, `${ctx.tenantId}:${person}`);
    const patient = await lockPatient(ctx, tx, id);
    assertInvitable(ctx, patient);
    if ((patient.email ?? patient.phoneNumber ?? '') !== person)
      throw apiError('conflict', 'This patient’s address was just changed. Try again.');
    const storedAddress = await endSignIn(tx, ctx, id);
    const { email } = patient;
    if (email && temporary) {
      const address = pickAddress(appLinks.confirmation_url, storedAddress);
      await issueInvitation(tx, ctx, { patientId: id, email, url, temporary, address });
    } else {
      const address = pickAddress(appLinks.passwordless_login_url, storedAddress);
      await invitePhone(tx, ctx, { patientId: id, number: parseTextableNumber(person), address });
    }
    return markInvited(tx, ctx, patient);
  });
}

type Reachable = { canSignIn: boolean; signedInBefore: boolean; email: string | null; phoneNumber: string | null };

function assertInvitable(ctx: Context, patient: Parameters<typeof assertInCare>[0] & Reachable): void {
  assertInCare(patient);
  if (patient.canSignIn) throw apiError('conflict', 'This patient can sign in already and needs no invitation.');
  // By archiving, unarchiving, changing the address and inviting, an application could take over any account.
  if (patient.signedInBefore && ctx.actor.kind === 'application')
    throw apiError(
      'forbidden',
      'This patient had signed in before, and their record was archived or merged since: only staff invite them again.',
    );
  if (!patient.email && !patient.phoneNumber)
    throw apiError('conflict', 'This patient has no email address and no phone number for an invitation.');
}

/** Ends the unconfirmed sign-in and all pending steps. Returns the page that the last invitation linked to. */
async function endSignIn(tx: Tx, ctx: Context, patientId: string): Promise<string | null> {
  const { tenantId } = ctx;
  const before = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: { tenantId, patientId } } });
  await tx.patientSignIn.deleteMany({ where: { tenantId, patientId } });
  await tx.signUpAttempt.updateMany({ where: { tenantId, patientId }, data: { patientId: null } });
  await endPendingSignIns(tx, ctx, patientId);
  return before?.invitationUrl ?? null;
}

/** Undefined leaves the stored address; null removes it. */
const pickAddress = (requested: string | null | undefined, stored: string | null) =>
  requested === undefined ? stored : requested;

function parseTextableNumber(number: string): string {
  try {
    return parseUsNumber(number);
  } catch {
    throw apiError(
      'phone_number_not_supported',
      'The patient’s phone number cannot get text messages: only ordinary US numbers can.',
    );
  }
}
