'use client';
import { useQuery } from '@tanstack/react-query';
import { UserCog } from 'lucide-react';
import { useState } from 'react';
import type { MemberView } from '#contract/team.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { AddButton } from '#web/ui/button.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import type { MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES, useMe } from '../me.tsx';
import { useNow } from '../now.tsx';
import { RowMenu } from '../shell/action-menu.tsx';
import { actionsFor, MEMBER_CHANGES, type MemberAction } from './member-changes.ts';
import { RolesCard } from './roles-card.tsx';

const MemberChangeDialog = lazyComponent(() =>
  import('./team-dialogs.tsx').then((module) => module.MemberChangeDialog),
);
const ChangeRoleDialog = lazyComponent(() => import('./team-dialogs.tsx').then((module) => module.ChangeRoleDialog));

function MemberActions({ member }: { member: MemberView }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('team');
  const [asked, setAsked] = useState<MemberAction | null>(null);
  const close = () => setAsked(null);
  if (useMe().user.id === member.id) return <span className="px-2 text-[13px] text-muted">You</span>;
  const entries = actionsFor(member).map((action): MenuEntry => {
    const ask = () => setAsked(action);
    if (action === 'change_role') return { kind: 'action', label: 'Change role…', onSelect: ask };
    const { confirmLabel, danger = false, question, run, done } = MEMBER_CHANGES[action];
    const atOnce = () =>
      run(client, member).then(
        () => {
          toast.success(done);
          return refresh();
        },
        (error) => toast.error(firstErrorMessage(error)),
      );
    return { kind: 'action', label: confirmLabel, danger, onSelect: question ? ask : atOnce };
  });
  return (
    <>
      <RowMenu of={member.name} entries={entries} />
      {asked === 'change_role' ? (
        <ChangeRoleDialog member={member} onClose={close} />
      ) : (
        asked && <MemberChangeDialog member={member} change={asked} onClose={close} />
      )}
    </>
  );
}

const MEMBER_COLUMNS: Column<MemberView>[] = [
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
  { header: 'Booked', cell: (member) => <UpcomingAppointments member={member} /> },
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
function UpcomingAppointments({ member: { id, name, upcoming_visits = 0 } }: { member: MemberView }) {
  if (upcoming_visits === 0) return <span className="text-muted">None</span>;
  return (
    <Link
      href={`/appointments?with=${id}`}
      aria-label={`${pluralize(upcoming_visits, 'appointment')} to come with ${name}`}
      className="inline-flex min-h-6 min-w-6 items-center rounded-sm max-md:justify-end text-accent-ink underline underline-offset-2"
    >
      {upcoming_visits}
    </Link>
  );
}

/** For an invited member: how long the link in their email works. */
function LastSignIn({ member }: { member: MemberView }) {
  const now = useNow();
  if (member.status !== 'invited')
    return member.last_signed_in_at ? <DateTime value={member.last_signed_in_at} stacked /> : <>Never</>;
  const { invitation_expires_at } = member;
  if (!invitation_expires_at || Date.parse(invitation_expires_at) <= now)
    return <span className="text-warn-ink">The invitation has run out</span>;
  return (
    <span className="text-muted">
      Link works until <DateTime value={invitation_expires_at} shape="date" />
    </span>
  );
}

const InviteDialog = lazyComponent(() => import('./team-dialogs.tsx').then((module) => module.InviteDialog));

export function TeamPage() {
  const trpc = useTRPC();
  const [inviting, setInviting] = useState(false);
  const team = useQuery(trpc.team.list.queryOptions({}));
  const invite = <AddButton onClick={() => setInviting(true)}>Invite colleague</AddButton>;
  return (
    <>
      <PageHeader title="Team" description="Who may open this portal" actions={invite} />
      <DataTable<MemberView>
        label="Team"
        columns={MEMBER_COLUMNS}
        rows={team.data}
        rowId={(member) => member.id}
        error={team.error}
        onRetry={() => void team.refetch()}
        empty={<EmptyState icon={UserCog} title="No one is here yet" action={invite} />}
      />
      <RolesCard />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
