'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../trpc-client.tsx';

/** Invalidates every query that shows appointments or availability. */
export function useRefreshAppointments() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries(trpc.appointments.pathFilter()),
      queries.invalidateQueries(trpc.scheduling.listAvailability.pathFilter()),
      queries.invalidateQueries(trpc.practitioners.careTeam.pathFilter()),
      queries.invalidateQueries(trpc.timeline.pathFilter()),
    ]);
}
