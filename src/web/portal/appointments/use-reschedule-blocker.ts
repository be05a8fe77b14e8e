'use client';
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

/**
 * Explains to staff why an appointment cannot be rescheduled, refetched on each use; null when it can or until loaded.
 */
export function useRescheduleBlocker(id: string): string | null {
  const trpc = useTRPC();
  return useQuery(trpc.appointments.show.queryOptions({ id }, { staleTime: 0 })).data?.cannot_move ?? null;
}
