'use client';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ExplainAvailabilityInput } from '#contract/availability.ts';
import { useTRPC } from '../../trpc-client.tsx';

/**
 * Explains why a slot is not offered; null input means not requested. Reloads availability that turns out to be stale.
 */
export function useUnavailableReason(input: ExplainAvailabilityInput | null) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useQuery(
    trpc.scheduling.explainAvailability.queryOptions(input ?? skipToken, { gcTime: 0, staleTime: 0 }),
  );
  const isOld = query.data?.some(({ reason }) => reason === 'list_is_old') ?? false;
  useEffect(() => {
    if (isOld) void queries.invalidateQueries(trpc.scheduling.listAvailability.pathFilter());
  }, [isOld, queries, trpc]);
  return query;
}
