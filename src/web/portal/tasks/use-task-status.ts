'use client';
import { useState } from 'react';
import type { NamedTask, TaskStatus } from '#contract/tasks.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { retryUntilKnown } from '#web/ui/retry-until-known.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshTasks } from './use-refresh-tasks.ts';

/** The button of the next row or else of the one before, or the page's heading. */
function focusableNear(button: HTMLElement): HTMLElement | null {
  const row = button.closest('tr, li');
  for (const other of [row?.nextElementSibling, row?.previousElementSibling]) {
    const own = other?.querySelector('button');
    if (own) return own;
  }
  const heading = document.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  return heading;
}

/** Completes a task at once, with an undo in the message, and opens it again. */
export function useTaskStatus({ id, title }: Pick<NamedTask, 'id' | 'title'>) {
  const client = useTRPCClient();
  const refresh = useRefreshTasks();
  const [isPending, setPending] = useState(false);
  const set = async (status: TaskStatus, done: () => void): Promise<void> => {
    try {
      await retryUntilKnown(() => client.tasks.update.mutate({ id, status }));
      done();
    } catch (error) {
      toast.error('This did not work', { description: firstErrorMessage(error) });
    }
    await refresh();
  };
  const reopen = () => set('open', () => toast.success('The task is open again', { description: title }));
  const complete = () =>
    set('completed', () =>
      toast.success('Task completed', { description: title, action: { label: 'Undo', run: () => void reopen() } }),
    );
  // Until the lists are refreshed, so that the button is not pressed twice. Its row may be gone by then.
  const follow = (act: () => Promise<void>) => async (button?: HTMLElement) => {
    const next = button && focusableNear(button);
    setPending(true);
    await act();
    setPending(false);
    if (document.activeElement === document.body) next?.focus();
  };
  return { isPending, complete: follow(complete), reopen: follow(reopen) };
}
