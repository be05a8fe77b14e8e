'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

export function useRefreshTeam() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () => queries.invalidateQueries(trpc.team.pathFilter());
}
