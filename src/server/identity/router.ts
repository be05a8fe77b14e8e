import { AddressChangeLinkInput } from '#contract/address-changes.ts';
import { SetAllowedOriginsInput, SetAppAddressesInput } from '#contract/origins.ts';
import { EndSessionInput, HelpSignInInput, PatientSessionsInput } from '#contract/patient-sign-in.ts';
import { InviteExistingInput, InvitePatientInput, NoInput, PatientIdInput } from '#contract/patients.ts';
import { ApplicationIdInput, CreateApplicationInput, RevokeSecretInput, SetInvitesInput } from '#contract/settings.ts';
import { procedure, router } from '../core/trpc.ts';
import { openChange } from './address-changes/open-change.ts';
import { undoChange } from './address-changes/undo-change.ts';
import { createApplication } from './create-application.ts';
import { inviteExisting } from './invitation/invite-existing.ts';
import { invitePatient } from './invitation/invite-patient.ts';
import { resendInvitation } from './invitation/resend-invitation.ts';
import { setInvites } from './invitation/set-invites.ts';
import { listApplications } from './list-applications.ts';
import { readAppAddresses, setAppAddresses } from './origins/app-addresses.ts';
import { listAllowedOrigins } from './origins/list-allowed-origins.ts';
import { setAllowedOrigins } from './origins/set-allowed-origins.ts';
import { endPatientSession } from './patient-sign-in/end-patient-session.ts';
import { endPatientSessions } from './patient-sign-in/end-patient-sessions.ts';
import { helpSignIn } from './patient-sign-in/help-sign-in.ts';
import { readPatientSignIn } from './patient-sign-in/read-patient-sign-in.ts';
import { readConfigurationTokens } from './read-configuration-tokens.ts';
import { readMe } from './read-me.ts';
import { revokeApplication } from './revoke-application.ts';
import { revokeApplicationSecret } from './revoke-application-secret.ts';
import { rotateApplicationSecret } from './rotate-application-secret.ts';

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
