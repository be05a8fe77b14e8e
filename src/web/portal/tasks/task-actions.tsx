'use client';
import { Check, Pencil, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { NamedTask } from '#contract/tasks.ts';
import { Button } from '#web/ui/button.tsx';
import { useMay } from '../me.tsx';
import { type ActionEntry, RowMenu } from '../shell/action-menu.tsx';
import { EditTaskDialog } from './task-dialogs.tsx';
import { useTaskStatus } from './use-task-status.ts';

/** Completes an open task at once; the menu changes it, or opens a completed one again. */
export function TaskActions({ task }: { task: NamedTask }) {
  const [isEditing, setEditing] = useState(false);
  const { isPending, complete, reopen } = useTaskStatus(task);
  const { status, title } = task;
  if (!useMay('tasks:write')) return null;
  const entries: ActionEntry[] = [
    { kind: 'action', label: 'Edit', icon: Pencil, onSelect: () => setEditing(true) },
    ...(status === 'completed'
      ? [{ kind: 'action' as const, label: 'Open again', icon: RotateCcw, onSelect: () => void reopen() }]
      : []),
  ];
  return (
    <span className="relative inline-flex shrink-0 items-center gap-1 print:hidden">
      {status === 'open' && (
        <Button
          size="sm"
          aria-label={`Done: ${title}`}
          pending={isPending}
          onClick={({ currentTarget }) => void complete(currentTarget)}
        >
          {!isPending && <Check aria-hidden />}
          Done
        </Button>
      )}
      <RowMenu of={`“${title}”`} entries={entries} />
      {isEditing && <EditTaskDialog task={task} onClose={() => setEditing(false)} />}
    </span>
  );
}
