'use client';
import type { MemberView } from '#contract/team.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { MEMBER_CHANGES, type MemberChange } from './member-changes.ts';
import { useRefreshTeam } from './use-refresh-team.ts';

type MemberQuestionProps = { member: MemberView; change: MemberChange; onClose: () => void };

export function MemberChangeDialog({ member, change, onClose }: MemberQuestionProps) {
  const client = useTRPCClient();
  const refresh = useRefreshTeam();
  const { question, run, confirmLabel, done } = MEMBER_CHANGES[change];
  return (
    <ConfirmDialog
      title={question?.title(member.name)}
      description={question?.description}
      confirmLabel={confirmLabel}
      keepLabel="Not now"
      act={() => run(client, member)}
      done={done}
      refresh={refresh}
      onClose={onClose}
    />
  );
}
