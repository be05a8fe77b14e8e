'use client';
import { useQuery } from '@tanstack/react-query';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Link } from '#web/ui/link.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { TaskRows } from './task-rows.tsx';

const MAX_SHOWN = 5;

/** The reader's open tasks and those of their role, the most urgent first. */
export function useMyTasks() {
  const trpc = useTRPC();
  return useQuery(trpc.tasks.show.queryOptions({ whose: 'mine', size: MAX_SHOWN }));
}

/** Renders nothing without tasks; content below waits for `useMyTasks`. */
export function MyTasks() {
  const { data } = useMyTasks();
  if (!data?.items.length) return null;
  return (
    <Card aria-label="My tasks" className="mt-7 print:hidden">
      <CardHeader
        title="My tasks"
        actions={
          <Link href="/tasks" className="inline-block py-0.5 text-[13px] text-accent-ink hover:underline">
            All tasks
          </Link>
        }
      />
      <TaskRows tasks={data.items} of="reader" />
    </Card>
  );
}
