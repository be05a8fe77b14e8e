'use client';
import { useQuery } from '@tanstack/react-query';
import { UserCog } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { MemberView } from '#contract/team.ts';
import { AddButton } from '#web/ui/add-button.tsx';
import { DataTable } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { MEMBER_COLUMNS } from './member-columns.tsx';

const InviteDialog = dynamic(() => import('./invite-dialog.tsx').then((module) => module.InviteDialog), { ssr: false });

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
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
