import type { MemberView } from '#contract/team.ts';
import type { Column } from '#portal/ui/data-table.tsx';
import { DateTime } from '#portal/ui/date-time.tsx';
import { StatusBadge } from '#portal/ui/status-badge.tsx';
import { ROLE_NAMES } from '../shell/role-names.ts';
import { MemberActions } from './member-actions.tsx';

export const MEMBER_COLUMNS: Column<MemberView>[] = [
  {
    header: 'Name',
    phone: 'title',
    cell: ({ name, email }) => (
      <span className="grid">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-[13px] text-muted wrap-anywhere">{email}</span>
      </span>
    ),
  },
  { header: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
  { header: 'Two-step sign-in', cell: ({ two_step }) => (two_step ? 'On' : <span className="text-muted">Off</span>) },
  { header: 'Last sign-in', cell: (member) => <LastSignIn member={member} /> },
  { header: 'Status', phone: 'corner', cell: ({ status }) => <StatusBadge kind="member" status={status} /> },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (member) => <MemberActions member={member} />,
  },
];

/** Of somebody invited: how long the link in their mail works. */
function LastSignIn({ member }: { member: MemberView }) {
  if (member.status !== 'invited')
    return member.last_signed_in_at ? <DateTime value={member.last_signed_in_at} /> : <>Never</>;
  const { invitation_expires_at } = member;
  if (!invitation_expires_at || new Date(invitation_expires_at) <= new Date())
    return <span className="text-warn-ink">The invitation has run out</span>;
  return (
    <span className="text-muted">
      Link works until <DateTime value={invitation_expires_at} shape="date" />
    </span>
  );
}
