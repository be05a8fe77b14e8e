'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

/** After a visit changed: every list of visits and every free time on screen is asked for again. */
export function useRefreshVisits() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries(trpc.appointments.pathFilter()),
      queries.invalidateQueries(trpc.scheduling.listAvailability.pathFilter()),
      queries.invalidateQueries(trpc.practitioners.careTeam.pathFilter()),
      queries.invalidateQueries(trpc.story.pathFilter()),
    ]);
}
