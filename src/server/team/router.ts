import { NoInput } from '#contract/patients.ts';
import {
  ChangePasswordInput,
  ChangeRoleInput,
  ConfirmTwoStepInput,
  InviteMemberInput,
  MemberIdInput,
  OpenStaffLinkInput,
  PasswordInput,
  RenameInput,
  UseStaffLinkInput,
} from '#contract/team.ts';
import { noPatient, router } from '../core/trpc.ts';
import { changePassword } from './account/change-password.ts';
import { confirmTwoStep } from './account/confirm-two-step.ts';
import { getAccount } from './account/get-account.ts';
import { renameAccount } from './account/rename-account.ts';
import { renewRecoveryCodes } from './account/renew-recovery-codes.ts';
import { signOutEverywhere } from './account/sign-out-everywhere.ts';
import { startTwoStep } from './account/start-two-step.ts';
import { turnOffTwoStep } from './account/turn-off-two-step.ts';
import { changeRole } from './change-role.ts';
import { disableMember } from './disable-member.ts';
import { enableMember } from './enable-member.ts';
import { inviteMember } from './invite-member.ts';
import { openStaffLink } from './links/open-staff-link.ts';
import { useStaffLink } from './links/use-staff-link.ts';
import { listMembers } from './list-members.ts';
import { resendInvitation } from './resend-invitation.ts';
import { resetMemberTwoStep } from './reset-member-two-step.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

/** The portal's Team page. */
export const teamRouter = router({
  list: noPatient.input(NoInput.optional()).query(({ ctx }) => listMembers(ctx)),
  invite: noPatient.input(InviteMemberInput).mutation(({ ctx, input }) => inviteMember(ctx, input)),
  resend: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => resendInvitation(ctx, input)),
  withdraw: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => withdrawInvitation(ctx, input)),
  changeRole: noPatient.input(ChangeRoleInput).mutation(({ ctx, input }) => changeRole(ctx, input)),
  disable: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => disableMember(ctx, input)),
  enable: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => enableMember(ctx, input)),
  resetTwoStep: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => resetMemberTwoStep(ctx, input)),
});

/** Pages behind links in emails to staff users; the token is the only credential. */
export const staffLinksRouter = router({
  open: noPatient.input(OpenStaffLinkInput).query(({ ctx, input }) => openStaffLink(ctx, input)),
  use: noPatient.input(UseStaffLinkInput).mutation(({ ctx, input }) => useStaffLink(ctx, input)),
});

/** Open to a user who still has to set up two-step sign-in. */
const first = noPatient.meta({ whileEnrolling: true });

/** The portal's Account page. */
export const accountRouter = router({
  get: first.input(NoInput.optional()).query(({ ctx }) => getAccount(ctx)),
  startTwoStep: first.input(PasswordInput).mutation(({ ctx, input }) => startTwoStep(ctx, input)),
  confirmTwoStep: first.input(ConfirmTwoStepInput).mutation(({ ctx, input }) => confirmTwoStep(ctx, input)),
  signOutEverywhere: first.input(NoInput.optional()).mutation(({ ctx }) => signOutEverywhere(ctx)),
  rename: noPatient.input(RenameInput).mutation(({ ctx, input }) => renameAccount(ctx, input)),
  changePassword: noPatient.input(ChangePasswordInput).mutation(({ ctx, input }) => changePassword(ctx, input)),
  renewRecoveryCodes: noPatient.input(PasswordInput).mutation(({ ctx, input }) => renewRecoveryCodes(ctx, input)),
  turnOffTwoStep: noPatient.input(PasswordInput).mutation(({ ctx, input }) => turnOffTwoStep(ctx, input)),
});
