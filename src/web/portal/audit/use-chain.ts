'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';

const POLL_INTERVAL_MS = 1_000;

/** Verification status of the audit log, with its progress, and a function that starts a verification. */
export function useChain() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const key = trpc.audit.chain.queryKey();
  const chain = useQuery({
    ...trpc.audit.chain.queryOptions(),
    refetchInterval: ({ state }) => (state.data?.running ? POLL_INTERVAL_MS : false),
  });
  const check = useMutation(
    trpc.audit.check.mutationOptions({
      onSuccess: (status) => queries.setQueryData(key, status),
      onError: (error) => toast.error(firstErrorMessage(error)),
    }),
  );
  return { ...chain, check: () => check.mutate({}), isStarting: check.isPending };
}
