import Link from 'next/link';
import type { MemberView } from '#contract/team.ts';
import { many } from '#web/ui/count-words.ts';
import type { Column } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
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
  { header: 'Two-step', cell: ({ two_step }) => (two_step ? 'On' : <span className="text-muted">Off</span>) },
  { header: 'Last sign-in', cell: (member) => <LastSignIn member={member} /> },
  { header: 'To come', cell: (member) => <VisitsToCome member={member} /> },
  { header: 'Status', phone: 'corner', cell: ({ status }) => <StatusBadge kind="member" status={status} /> },
  {
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    phone: 'menu',
    cell: (member) => <MemberActions member={member} />,
  },
];

/** Upcoming appointments, to be reviewed before a colleague leaves. */
function VisitsToCome({ member: { id, name, upcoming_visits = 0 } }: { member: MemberView }) {
  if (upcoming_visits === 0) return <span className="text-muted">None</span>;
  const visits = many(upcoming_visits, 'visit');
  return (
    <Link
      href={`/appointments?with=${id}`}
      aria-label={`${visits} to come with ${name}`}
      className="inline-flex min-h-6 min-w-6 items-center rounded-sm text-accent-ink underline underline-offset-2"
    >
      {visits}
    </Link>
  );
}

/** For an invited member: how long the link in their email works. */
function LastSignIn({ member }: { member: MemberView }) {
  if (member.status !== 'invited')
    return member.last_signed_in_at ? <DateTime value={member.last_signed_in_at} stacked /> : <>Never</>;
  const { invitation_expires_at } = member;
  if (!invitation_expires_at || new Date(invitation_expires_at) <= new Date())
    return <span className="text-warn-ink">The invitation has run out</span>;
  return (
    <span className="text-muted">
      Link works until <DateTime value={invitation_expires_at} shape="date" />
    </span>
  );
}
