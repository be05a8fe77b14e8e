'use client';
import { useInvalidate } from '../../trpc-client.tsx';

/** Refreshes the tasks, and the history of the patient, which names them. */
export function useRefreshTasks(): () => Promise<unknown> {
  const [tasks, timeline] = [useInvalidate('tasks'), useInvalidate('timeline')];
  return () => Promise.all([tasks(), timeline()]);
}
