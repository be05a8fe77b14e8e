import { NoInput } from '#contract/patients.ts';
import type { Role } from '#contract/roles.ts';
import {
  ChangePasswordInput,
  ChangeRoleInput,
  ConfirmTwoStepInput,
  InviteMemberInput,
  MemberIdInput,
  type MemberView,
  OpenStaffLinkInput,
  PasswordInput,
  PractitionerOptionInput,
  RenameInput,
  UseStaffLinkInput,
} from '#contract/team.ts';
import { staffRoute } from '#server/identity/index.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { Prisma } from '../core/db.ts';
import { apiError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { record } from '../core/record.ts';
import { noPatient, router } from '../core/trpc.ts';
import { changePassword, getAccount, renameAccount, signOutEverywhere } from './account/account.ts';
import { confirmTwoStep, renewRecoveryCodes, startTwoStep, turnOffTwoStep } from './account/two-step.ts';
import { issueStaffLink, openStaffLink, useStaffLink } from './links/staff-link.ts';
import {
  alreadyJoined,
  listMembers,
  loadMember,
  lockTeam,
  presentMember,
  requireHeld,
  requireInvited,
} from './member.ts';
import { getPractitionerOptions, setPractitionerOption } from './practitioner-options.ts';
import { changeRole, disableMember, enableMember, resetMemberTwoStep } from './update-member.ts';

/**
 * Adds a member who joins by an emailed link within seven days.
 * @throws `email_taken`; `forbidden` for a role that may do more than the caller
 */
async function inviteMember(ctx: Context, { email, name, role }: InviteMemberInput): Promise<MemberView> {
  requireAdmin(ctx.actor, 'team:manage');
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const write = ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    await requireHeld(tx, ctx, role);
    await tx.staffUser.create({ data: { id, tenantId, email, name, role, createdAt: now } });
    await tx.tenantRoute.create({ data: { key: staffRoute(email), tenantId } });
    await issueStaffLink(tx, ctx, { id, email }, 'invitation');
    await record(tx, ctx, { action: 'team.invite', object: { type: 'StaffUser', id }, details: { role } });
    return presentMember(await loadMember(tx, ctx, id));
  });
  return write.catch((error) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw apiError('email_taken', 'A team member with this email already exists.', {
        source: { pointer: '/email' },
      });
    throw error;
  });
}

/**
 * Mails a new link, valid for seven days; the previous one stops working.
 * @throws `not_found`; `conflict` for a member who has joined
 */
async function resendInvitation(ctx: Context, { id }: MemberIdInput): Promise<MemberView> {
  requireAdmin(ctx.actor, 'team:manage');
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    await requireHeld(tx, ctx, member.role as Role);
    requireInvited(member);
    await issueStaffLink(tx, ctx, member, 'invitation');
    await record(tx, ctx, { action: 'team.resend_invitation', object: { type: 'StaffUser', id } });
    return presentMember(await loadMember(tx, ctx, id));
  });
}

/**
 * Withdraws an invitation: its link stops working, and the user is deleted.
 * @throws `not_found`; `conflict` for a member who has joined
 */
async function withdrawInvitation(ctx: Context, { id }: MemberIdInput): Promise<void> {
  requireAdmin(ctx.actor, 'team:manage');
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    const member = await loadMember(tx, ctx, id);
    await requireHeld(tx, ctx, member.role as Role);
    requireInvited(member);
    const { count } = await tx.staffUser.deleteMany({ where: { tenantId, id, passwordHash: null } });
    if (count === 0) throw alreadyJoined();
    await tx.tenantRoute.deleteMany({ where: { key: staffRoute(member.email), tenantId } });
    await record(tx, ctx, { action: 'team.withdraw_invitation', object: { type: 'StaffUser', id } });
  });
}

/** The portal's Team page. */
export const teamRouter = router({
  list: noPatient.input(NoInput.optional()).query(({ ctx }) => listMembers(ctx)),
  invite: noPatient.input(InviteMemberInput).mutation(({ ctx, input }) => inviteMember(ctx, input)),
  resend: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => resendInvitation(ctx, input)),
  withdraw: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => withdrawInvitation(ctx, input)),
  changeRole: noPatient.input(ChangeRoleInput).mutation(({ ctx, input }) => changeRole(ctx, input)),
  disable: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => disableMember(ctx, input)),
  enable: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => enableMember(ctx, input)),
  practitionerOptions: noPatient.input(NoInput.optional()).query(({ ctx }) => getPractitionerOptions(ctx)),
  setPractitionerOption: noPatient
    .input(PractitionerOptionInput)
    .mutation(({ ctx, input }) => setPractitionerOption(ctx, input)),
  resetTwoStep: noPatient.input(MemberIdInput).mutation(({ ctx, input }) => resetMemberTwoStep(ctx, input)),
});

/** Pages behind links in emails to staff users; the token is the only credential. */
export const staffLinksRouter = router({
  open: noPatient.input(OpenStaffLinkInput).query(({ ctx, input }) => openStaffLink(ctx, input)),
  use: noPatient.input(UseStaffLinkInput).mutation(({ ctx, input }) => useStaffLink(ctx, input)),
});

/** Open to a user who still has to set up two-step sign-in. */
const enrollingProcedure = noPatient.meta({ whileEnrolling: true });

/** The portal's Account page. */
export const accountRouter = router({
  get: enrollingProcedure.input(NoInput.optional()).query(({ ctx }) => getAccount(ctx)),
  startTwoStep: enrollingProcedure.input(PasswordInput).mutation(({ ctx, input }) => startTwoStep(ctx, input)),
  confirmTwoStep: enrollingProcedure
    .input(ConfirmTwoStepInput)
    .mutation(({ ctx, input }) => confirmTwoStep(ctx, input)),
  signOutEverywhere: enrollingProcedure.input(NoInput.optional()).mutation(({ ctx }) => signOutEverywhere(ctx)),
  rename: noPatient.input(RenameInput).mutation(({ ctx, input }) => renameAccount(ctx, input)),
  changePassword: noPatient.input(ChangePasswordInput).mutation(({ ctx, input }) => changePassword(ctx, input)),
  renewRecoveryCodes: noPatient.input(PasswordInput).mutation(({ ctx, input }) => renewRecoveryCodes(ctx, input)),
  turnOffTwoStep: noPatient.input(PasswordInput).mutation(({ ctx, input }) => turnOffTwoStep(ctx, input)),
});
