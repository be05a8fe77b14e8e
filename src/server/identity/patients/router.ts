import { AddressChangeLinkInput, RequestEmailChangeInput } from '#contract/address-changes.ts';
import {
  EndSessionInput,
  HelpSignInInput,
  InvitationLinkInput,
  PatientSessionsInput,
} from '#contract/patient-sign-in.ts';
import { InviteExistingInput, InvitePatientInput, PatientIdInput } from '#contract/patients.ts';
import { SetInvitesInput } from '#contract/settings.ts';
import { noPatient, patientData, router } from '../../core/trpc.ts';
import { getAddressChange } from './address-changes/get-address-change.ts';
import { requestEmailChange, withdrawEmailChange } from './address-changes/request-email-change.ts';
import { confirmRequestedEmailChange, getRequestedEmailChange } from './address-changes/requested-email-change.ts';
import { undoChange } from './address-changes/undo-change.ts';
import { endPatientSession, endPatientSessions } from './help/end-patient-sessions.ts';
import { getPatientSignIn } from './help/get-patient-sign-in.ts';
import { helpSignIn } from './help/help-sign-in.ts';
import { inviteExisting } from './invitation/invite-existing.ts';
import { invitePatient } from './invitation/invite-patient.ts';
import { openInvitationLink } from './invitation/open-invitation-link.ts';
import { resendInvitation } from './invitation/resend-invitation.ts';
import { setInvites } from './invitation/set-invites.ts';

/** A patient's sign-in, on their page of the portal. */
export const patientSignInRouter = router({
  get: patientData('Patient', { action: 'sign_ins.get' })
    .input(PatientSessionsInput)
    .query(({ ctx, input }) => getPatientSignIn(ctx, input)),
  endSession: patientData('Patient', { action: 'sign_ins.end_session' })
    .input(EndSessionInput)
    .mutation(({ ctx, input }) => endPatientSession(ctx, input)),
  endSessions: patientData('Patient', { action: 'sign_ins.end_sessions' })
    .input(PatientSessionsInput)
    .mutation(({ ctx, input }) => endPatientSessions(ctx, input)),
  askEmailChange: patientData('Patient', { action: 'sign_ins.request_email_change' })
    .input(RequestEmailChangeInput)
    .mutation(({ ctx, input }) => requestEmailChange(ctx, input)),
  withdrawEmailChange: patientData('Patient', { action: 'sign_ins.withdraw_email_change' })
    .input(PatientSessionsInput)
    .mutation(({ ctx, input }) => withdrawEmailChange(ctx, input)),
  help: patientData('Patient', { action: 'sign_ins.help' })
    .input(HelpSignInInput)
    .mutation(({ ctx, input }) => helpSignIn(ctx, input)),
});

/** Pages behind links to an address: the old one after a change, and the new one before it. */
export const addressChangesRouter = router({
  open: patientData('Patient')
    .input(AddressChangeLinkInput)
    .query(({ ctx, input }) => getAddressChange(ctx, input)),
  undo: patientData('Patient')
    .input(AddressChangeLinkInput)
    .mutation(({ ctx, input }) => undoChange(ctx, input)),
  openAsked: patientData('Patient', { action: 'address_changes.open_request' })
    .input(AddressChangeLinkInput)
    .query(({ ctx, input }) => getRequestedEmailChange(ctx, input)),
  confirmAsked: patientData('Patient', { action: 'address_changes.confirm_request' })
    .input(AddressChangeLinkInput)
    .mutation(({ ctx, input }) => confirmRequestedEmailChange(ctx, input)),
});

export const invitationsRouter = router({
  create: patientData('Patient')
    .input(InvitePatientInput)
    .mutation(({ ctx, input }) => invitePatient(ctx, input)),
  invite: patientData('Patient')
    .input(InviteExistingInput)
    .mutation(({ ctx, input }) => inviteExisting(ctx, input)),
  /** For the page behind the email's link. */
  open: patientData('Patient')
    .input(InvitationLinkInput)
    .query(({ ctx, input }) => openInvitationLink(ctx, input)),
  resend: patientData('Patient')
    .input(PatientIdInput)
    .mutation(({ ctx, input }) => resendInvitation(ctx, input)),
  turn: noPatient.input(SetInvitesInput).mutation(({ ctx, input }) => setInvites(ctx, input)),
});
