'use client';
import { useInvalidate } from '../../trpc-client.tsx';

/** Refreshes notes, the calendar, which marks appointments with notes, and the patient's history. */
export function useRefreshNotes(): () => Promise<unknown> {
  const [notes, appointments, timeline] = [
    useInvalidate('notes'),
    useInvalidate('appointments'),
    useInvalidate('timeline'),
  ];
  return () => Promise.all([notes(), appointments(), timeline()]);
}
