'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import type { Counts } from './care-labels.ts';

/** Polling interval while care is being ended. */
const POLL_INTERVAL_MS = 1500;

/** Active appointments and subscriptions of a patient; polled while care is being ended. */
export function useCare(id: string) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.patients.care.queryOptions({ id }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.ending ? POLL_INTERVAL_MS : false),
  });
  const counts: Counts | undefined = query.data && {
    appointments: query.data.visits.count,
    subscriptions: query.data.subscriptions.count,
  };
  return { ...query, care: query.data, counts };
}

/** Invalidates the patient with their sign-in, appointments and subscriptions. */
export function useRefreshCare() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () =>
    Promise.all(
      [trpc.patients, trpc.patientSignIn, trpc.appointments, trpc.subscriptions].map((part) =>
        queries.invalidateQueries(part.pathFilter()),
      ),
    );
}

/** Archives a patient and, with `end_care`, ends active care; a repeated call resumes at once. */
export function useArchive(id: string) {
  const client = useTRPCClient();
  const refresh = useRefreshCare();
  return useMutation({
    mutationFn: async (end_care: boolean) => {
      const archived = await client.patients.archive.mutate({ id, ...(end_care && { end_care }) });
      await refresh();
      return archived;
    },
  });
}
