'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

/** Invalidates all queries about receivers and deliveries. */
export function useRefreshWebhooks(): () => Promise<void> {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () => queries.invalidateQueries(trpc.webhooks.pathFilter());
}
