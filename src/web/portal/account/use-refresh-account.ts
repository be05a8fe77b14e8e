'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

export function useRefreshAccount() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () => queries.invalidateQueries(trpc.account.pathFilter());
}
