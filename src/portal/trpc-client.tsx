'use client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import type { AppRouter } from '#server/router.ts';

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const FRESH_FOR_MS = 15_000;
const MAX_RETRIES = 2;

function statusOf(error: unknown): number | undefined {
  return error instanceof TRPCClientError ? error.data?.httpStatus : undefined;
}

/** A session that ended while the page was open: sign in, then come back here. */
function leaveIfSignedOut(error: unknown) {
  if (statusOf(error) !== 401) return;
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?callbackUrl=${encodeURIComponent(here)}`);
}

function createQueryClient() {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_FOR_MS,
        // What the server refused it will refuse again; only a lost or overloaded server is worth asking twice.
        retry: (failures, error) => failures < MAX_RETRIES && (statusOf(error) ?? 500) >= 500,
      },
    },
  });
}

const link = httpBatchLink({
  url: '/api/trpc',
  // Another site's form cannot set a header, so its presence shows that the call comes from this page.
  headers: { 'x-carelane-portal': '1' },
});

/** The portal's way to the server: the same procedures as the REST door, typed end to end. */
export function ServerProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [trpcClient] = useState(() => createTRPCClient<AppRouter>({ links: [link] }));
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
