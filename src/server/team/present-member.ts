import type { Role } from '#contract/settings.ts';
import type { MemberView } from '#contract/team.ts';
import type { Prisma } from '../core/db.ts';

/** Columns of a staff user for the Team page. */
export const withTeamDetails = {
  twoStep: { select: { turnedOnAt: true } },
  links: { where: { purpose: 'invitation' }, select: { expiresAt: true } },
} satisfies Prisma.StaffUserInclude;
export type MemberRow = Prisma.StaffUserGetPayload<{ include: typeof withTeamDetails }>;

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
