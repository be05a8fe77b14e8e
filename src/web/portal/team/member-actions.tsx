'use client';
import { MoreHorizontal } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { MemberView } from '#contract/team.ts';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { changesFor, MEMBER_CHANGES, type MemberChange } from './member-changes.ts';
import { useRefreshTeam } from './use-refresh-team.ts';

const MemberQuestion = dynamic(() => import('./member-question.tsx').then((module) => module.MemberQuestion), {
  ssr: false,
});

export function MemberActions({ member }: { member: MemberView }) {
  const client = useTRPCClient();
  const refresh = useRefreshTeam();
  const [change, setChange] = useState<MemberChange | null>(null);
  if (useMe().user.id === member.id) return <span className="px-2 text-[13px] text-muted">You</span>;
  const entries = changesFor(member).map((one): MenuEntry => {
    const { confirmLabel, danger = false, question, run, done } = MEMBER_CHANGES[one];
    const atOnce = () =>
      run(client, member).then(
        () => {
          toast.success(done);
          return refresh();
        },
        (error) => toast.error(faultSentence(error)),
      );
    return { kind: 'action', label: confirmLabel, danger, onSelect: question ? () => setChange(one) : atOnce };
  });
  const label = `Actions for ${member.name}`;
  return (
    <>
      <DropdownMenu
        label={label}
        trigger={
          <Button variant="ghost" size="sm" aria-label={label} className="max-md:h-9">
            <MoreHorizontal aria-hidden />
          </Button>
        }
        entries={entries}
      />
      {change && <MemberQuestion member={member} change={change} onClose={() => setChange(null)} />}
    </>
  );
}
