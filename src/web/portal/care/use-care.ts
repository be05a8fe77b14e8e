'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import type { Counts } from './care-words.ts';

/** How often the page looks how far it is. */
const LOOK_EVERY_MS = 1500;

/** What runs on for a patient, followed closely while it is being ended. */
export function useCare(id: string) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.patients.care.queryOptions({ id }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.ending ? LOOK_EVERY_MS : false),
  });
  const counts: Counts | undefined = query.data && {
    visits: query.data.visits.count,
    subscriptions: query.data.subscriptions.count,
  };
  return { ...query, care: query.data, counts };
}

/** After something of a patient's ended: the patient, their visits and subscriptions are asked for again. */
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

/** Archives, ending what runs on where `end_care` says so; asked again, it goes on with that at once. */
export function useArchive(id: string) {
  const client = useTRPCClient();
  const refresh = useRefreshCare();
  return useMutation({
    mutationFn: async (end_care: boolean) => {
      const answer = await client.patients.archive.mutate({ id, ...(end_care && { end_care }) });
      await refresh();
      return answer;
    },
  });
}
