import { AddressChangeLinkInput } from '#contract/address-changes.ts';
import { SetAllowedOriginsInput, SetAppAddressesInput } from '#contract/origins.ts';
import { EndSessionInput, HelpSignInInput, PatientSessionsInput } from '#contract/patient-sign-in.ts';
import { InviteExistingInput, InvitePatientInput, NoInput, PatientIdInput } from '#contract/patients.ts';
import { ApplicationIdInput, CreateApplicationInput, RevokeSecretInput, SetInvitesInput } from '#contract/settings.ts';
import { procedure, router } from '../core/trpc.ts';
import { createApplication } from './applications/create-application.ts';
import { listApplications } from './applications/list-applications.ts';
import { readAppAddresses, setAppAddresses } from './applications/origins/app-addresses.ts';
import { listAllowedOrigins } from './applications/origins/list-allowed-origins.ts';
import { setAllowedOrigins } from './applications/origins/set-allowed-origins.ts';
import { readConfigurationTokens } from './applications/read-configuration-tokens.ts';
import { revokeApplication } from './applications/revoke-application.ts';
import { revokeApplicationSecret } from './applications/revoke-application-secret.ts';
import { rotateApplicationSecret } from './applications/rotate-application-secret.ts';
import { openChange } from './patients/address-changes/open-change.ts';
import { undoChange } from './patients/address-changes/undo-change.ts';
import { endPatientSession } from './patients/help/end-patient-session.ts';
import { endPatientSessions } from './patients/help/end-patient-sessions.ts';
import { helpSignIn } from './patients/help/help-sign-in.ts';
import { readPatientSignIn } from './patients/help/read-patient-sign-in.ts';
import { inviteExisting } from './patients/invitation/invite-existing.ts';
import { invitePatient } from './patients/invitation/invite-patient.ts';
import { resendInvitation } from './patients/invitation/resend-invitation.ts';
import { setInvites } from './patients/invitation/set-invites.ts';
import { readMe } from './staff/read-me.ts';

/** The portal's API credentials page. */
export const applicationsRouter = router({
  list: procedure.input(NoInput.optional()).query(({ ctx }) => listApplications(ctx)),
  create: procedure.input(CreateApplicationInput).mutation(({ ctx, input }) => createApplication(ctx, input)),
  rotateSecret: procedure.input(ApplicationIdInput).mutation(({ ctx, input }) => rotateApplicationSecret(ctx, input)),
  revokeSecret: procedure.input(RevokeSecretInput).mutation(({ ctx, input }) => revokeApplicationSecret(ctx, input)),
  revoke: procedure.input(ApplicationIdInput).mutation(({ ctx, input }) => revokeApplication(ctx, input)),
  allowedOrigins: procedure.input(NoInput.optional()).query(({ ctx }) => listAllowedOrigins(ctx)),
  setAllowedOrigins: procedure
    .input(SetAllowedOriginsInput)
    .mutation(({ ctx, input }) => setAllowedOrigins(ctx, input)),
  appAddresses: procedure.input(NoInput.optional()).query(({ ctx }) => readAppAddresses(ctx)),
  setAppAddresses: procedure.input(SetAppAddressesInput).mutation(({ ctx, input }) => setAppAddresses(ctx, input)),
  configurationTokens: procedure.input(NoInput.optional()).query(({ ctx }) => readConfigurationTokens(ctx)),
});

export const sessionRouter = router({
  me: procedure
    .meta({ whileEnrolling: true })
    .input(NoInput.optional())
    .query(({ ctx }) => readMe(ctx)),
});

/** How a patient signs in, on their page of the portal. */
export const patientSignInRouter = router({
  get: procedure.input(PatientSessionsInput).query(({ ctx, input }) => readPatientSignIn(ctx, input)),
  endSession: procedure.input(EndSessionInput).mutation(({ ctx, input }) => endPatientSession(ctx, input)),
  endSessions: procedure.input(PatientSessionsInput).mutation(({ ctx, input }) => endPatientSessions(ctx, input)),
  help: procedure.input(HelpSignInInput).mutation(({ ctx, input }) => helpSignIn(ctx, input)),
});

/** The page behind the link that went to an address when it was replaced. */
export const addressChangesRouter = router({
  open: procedure.input(AddressChangeLinkInput).query(({ ctx, input }) => openChange(ctx, input)),
  undo: procedure.input(AddressChangeLinkInput).mutation(({ ctx, input }) => undoChange(ctx, input)),
});

export const invitationsRouter = router({
  create: procedure.input(InvitePatientInput).mutation(({ ctx, input }) => invitePatient(ctx, input)),
  invite: procedure.input(InviteExistingInput).mutation(({ ctx, input }) => inviteExisting(ctx, input)),
  resend: procedure.input(PatientIdInput).mutation(({ ctx, input }) => resendInvitation(ctx, input)),
  turn: procedure.input(SetInvitesInput).mutation(({ ctx, input }) => setInvites(ctx, input)),
});
