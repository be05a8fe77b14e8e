'use client';
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

/** Why a visit cannot be moved, in words for staff, asked again on each use; null where it can, or that is not known yet. */
export function useCannotMove(id: string): string | null {
  const trpc = useTRPC();
  return useQuery(trpc.appointments.show.queryOptions({ id }, { staleTime: 0 })).data?.cannot_move ?? null;
}
