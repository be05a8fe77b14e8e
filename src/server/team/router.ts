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
import { changePassword, getAccount, renameAccount, signOutEverywhere } from './account/account.ts';
import { confirmTwoStep, renewRecoveryCodes, startTwoStep, turnOffTwoStep } from './account/two-step.ts';
import { inviteMember, resendInvitation, withdrawInvitation } from './invitations.ts';
import { openStaffLink, useStaffLink } from './links/use-staff-link.ts';
import { listMembers } from './member.ts';
import { changeRole, disableMember, enableMember, resetMemberTwoStep } from './update-member.ts';

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
