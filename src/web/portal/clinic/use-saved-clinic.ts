'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import type { ClinicView } from '#contract/clinic.ts';
import { useTRPC } from '../../trpc-client.tsx';

/** Shows the saved clinic, in the portal's frame as well. */
export function useSavedClinic() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  return useCallback(
    (clinic: ClinicView) => {
      queries.setQueryData(trpc.clinic.get.queryKey({}), clinic);
      router.refresh();
    },
    [queries, trpc, router],
  );
}
