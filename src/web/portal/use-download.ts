'use client';
import { useQueryClient } from '@tanstack/react-query';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { toast } from '#web/ui/toast.ts';
import { statusOf, useTRPCClient } from '../trpc-client.tsx';

/** Returns a function that downloads an export; without a session its response would replace the page. */
export function useDownload() {
  const client = useTRPCClient();
  const queries = useQueryClient();
  return async (address: string): Promise<void> => {
    try {
      const queryFn = () => client.session.me.query();
      await queries.fetchQuery({ queryKey: ['session', 'download'], queryFn, gcTime: 0, staleTime: 0, retry: false });
    } catch (error) {
      if (statusOf(error) !== 401) toast.error('The export has not begun', { description: firstErrorMessage(error) });
      return;
    }
    window.location.assign(address);
  };
}
