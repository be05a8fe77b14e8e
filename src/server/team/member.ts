import { permissionsOf, type Role } from '#contract/roles.ts';
import type { MemberView } from '#contract/team.ts';
import { type Actor, isStaff, requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import type { Prisma, Tx } from '../core/db.ts';
import { apiError, notFound } from '../core/errors.ts';

/**
 * Returns the staff user's own id and session.
 * @throws `forbidden` for other actors, who have no account in the portal
 */
export function requireOwnAccount(actor: Actor): { userId: string; sessionId: string | undefined } {
  if (!isStaff(actor) && actor.kind !== 'enrolling') throw apiError('forbidden', 'Only staff have an account here.');
  return { userId: actor.userId, sessionId: actor.sessionId };
}

/**
 * Only another admin may make a change that could lock the caller out.
 * @throws `conflict`
 */
export function requireNotSelf(actor: Actor, id: string): void {
  if ('userId' in actor && actor.userId === id)
    throw apiError('conflict', 'This is your own account; ask another administrator.');
}

/**
 * Requires the caller to hold all that a role may do (with `options` for practitioners, by default the clinic's), so that no one gives, changes or takes away more than they hold.
 * Call it under the team's lock. Reads the caller's role again: it may have changed since the request was authorised.
 * @throws `forbidden`
 */
export async function requireHeld(tx: Tx, ctx: Context, role: Role, options?: readonly string[]): Promise<void> {
  const { actor, tenantId } = ctx;
  if (!isStaff(actor)) return;
  const { practitionerOptions } = await tx.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  const caller = await tx.staffUser.findFirst({ where: { tenantId, id: actor.userId, disabledAt: null } });
  const held = caller ? permissionsOf(caller.role as Role, practitionerOptions) : [];
  const isLost = !held.includes('team:manage');
  const isHeld = permissionsOf(role, options ?? practitionerOptions).every((one) => held.includes(one));
  if (isHeld && !isLost) return;
  const detail = isLost ? 'Your role was changed: you no longer manage the team.' : 'This role may do more than yours.';
  throw apiError('forbidden', detail, { people: detail });
}

export const isInvited = ({ passwordHash }: Pick<MemberRow, 'passwordHash'>): boolean => passwordHash === null;

/**
 * Requires an open invitation.
 * @throws `conflict`
 */
export function requireInvited(member: Pick<MemberRow, 'passwordHash'>): void {
  if (!isInvited(member)) throw alreadyJoined();
}

export const alreadyJoined = () => apiError('conflict', 'They have joined the team already.');

/** Whether the member can sign in and run the clinic. */
export const isActiveAdmin = (member: Pick<MemberRow, 'role' | 'disabledAt' | 'passwordHash'>): boolean =>
  member.role === 'admin' && member.disabledAt === null && !isInvited(member);

/** Columns of a staff user for the Team page. */
const withTeamDetails = {
  twoStep: { select: { turnedOnAt: true } },
  links: { where: { purpose: 'invitation' }, select: { expiresAt: true } },
} satisfies Prisma.StaffUserInclude;
type MemberRow = Prisma.StaffUserGetPayload<{ include: typeof withTeamDetails }>;

export function presentMember(row: MemberRow): MemberView {
  const invited = row.passwordHash === null;
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role as Role,
    status: row.disabledAt ? 'disabled' : invited ? 'invited' : 'active',
    two_step: Boolean(row.twoStep?.turnedOnAt),
    last_signed_in_at: row.lastSignedInAt?.toISOString() ?? null,
    invitation_expires_at: (invited && row.links[0]?.expiresAt.toISOString()) || null,
    created_at: row.createdAt.toISOString(),
  };
}

/**
 * Reads a member of the caller's own team.
 * @throws `not_found`
 */
export async function loadMember(tx: Pick<Tx, 'staffUser'>, ctx: Context, id: string): Promise<MemberRow> {
  const row = await tx.staffUser.findFirst({ where: { tenantId: ctx.tenantId, id }, include: withTeamDetails });
  if (!row) throw notFound('member of the team');
  return row;
}

/** Serializes changes of the team, so that two admins cannot remove each other concurrently. */
export async function lockTeam(tx: Tx, ctx: Context): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`team:${ctx.tenantId}`}, 0))`;
}

/**
 * Called after the change and under the lock: at least one active admin must be left.
 * @throws `conflict`
 */
export async function requireAdminLeft(tx: Tx, ctx: Context): Promise<void> {
  const admins = await tx.staffUser.findMany({ where: { tenantId: ctx.tenantId, role: 'admin' } });
  if (!admins.some(isActiveAdmin)) throw apiError('conflict', 'This is the last active administrator.');
}

/** Lists the clinic's team by name, with the numbers of upcoming appointments and open tasks. A team fits on one page. */
export async function listMembers(ctx: Context): Promise<MemberView[]> {
  requireAdmin(ctx.actor, 'team:manage');
  const rows = await ctx.db.staffUser.findMany({
    where: { tenantId: ctx.tenantId },
    include: withTeamDetails,
    orderBy: [{ name: 'asc' }, { email: 'asc' }],
  });
  const now = ctx.clock.now();
  const counts = await ctx.db.appointment.groupBy({
    by: ['practitionerId'],
    where: { tenantId: ctx.tenantId, practitionerId: { not: null }, status: 'scheduled', endAt: { gt: now } },
    _count: true,
  });
  const taskCounts = await ctx.db.task.groupBy({
    by: ['assigneeId'],
    where: { tenantId: ctx.tenantId, assigneeId: { not: null }, completedAt: null },
    _count: true,
  });
  const upcoming = new Map(counts.map((count) => [count.practitionerId, count._count]));
  const open = new Map(taskCounts.map((count) => [count.assigneeId, count._count]));
  return rows.map((row) => ({
    ...presentMember(row),
    upcoming_visits: upcoming.get(row.id) ?? 0,
    open_tasks: open.get(row.id) ?? 0,
  }));
}
