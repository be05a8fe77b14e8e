'use client';
import { MutationCache, notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, splitLink, TRPCClientError } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import type { AppRouter } from '#server/router.ts';
import { createAskedAgain } from './asked-again.ts';

type AskedAgain = ReturnType<typeof createAskedAgain>;

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const FRESH_FOR_MS = 15_000;
const MAX_RETRIES = 2;

function statusOf(error: unknown): number | undefined {
  return error instanceof TRPCClientError ? error.data?.httpStatus : undefined;
}

/** A session that ended while the page was open: sign in, then come back here. */
export function leaveForSignIn() {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?callbackUrl=${encodeURIComponent(here)}`);
}

function leaveIfSignedOut(error: unknown) {
  if (statusOf(error) === 401) leaveForSignIn();
}

/** What happened, by the beginning of its calls' names: whatever somebody does is a line of it, also where no event tells so. */
const STORY = [['story']] as const;

// A key pressed right after a button finds the page in the state that the button has brought about: what is being saved is
// held before the next event, and not a timer later, when a dialog may have been closed over it.
notifyManager.setScheduler(queueMicrotask);

function createQueryClient() {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({
      onError: leaveIfSignedOut,
      onSuccess: () => void client.invalidateQueries({ queryKey: STORY }),
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_FOR_MS,
        // Without a connection an answer that fails says so; one that waits for it would look like a slow one for ever.
        networkMode: 'always',
        refetchOnReconnect: true,
        // What the server refused it will refuse again; only a lost or overloaded server is worth asking twice.
        retry: (failures, error) => failures < MAX_RETRIES && (statusOf(error) ?? 500) >= 500,
      },
      // Nor is anything saved later by itself, when whoever typed it may have thought better of it.
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** Told of the whole seconds that are left of the session, with each answer that knows. */
export const SESSION_ENDS_IN = 'carelane:session-ends-in';
/** Sent with a call, it says that a person did something: nothing else prolongs a session. */
export const ACT = { act: true } as const;

/** One header speaks for every call of a request, so what a page asks again by itself never goes with what somebody opens. */
export const createLink = (asked: AskedAgain) =>
  splitLink<AppRouter>({
    condition: (call) => asked.isAgain(window.location.pathname, call),
    // What somebody opens stands in the audit log each time; what the page asks again by itself need not.
    true: createBatchLink({ 'x-carelane-refetch': '1' }),
    false: createBatchLink({}),
  });

const createBatchLink = (extra: Record<string, string>) =>
  httpBatchLink<AppRouter>({
    url: '/api/trpc',
    headers: ({ opList }) => ({
      // Another site's form cannot set a header, so its presence shows that the call comes from this page.
      'x-carelane-portal': '1',
      ...(opList.some(({ context }) => context.act) && { 'x-carelane-act': '1' }),
      ...extra,
    }),
    async fetch(url, options) {
      const answer = await fetch(url, options as RequestInit);
      const detail = answer.headers.get('x-carelane-session-ends-in');
      if (detail !== null) window.dispatchEvent(new CustomEvent(SESSION_ENDS_IN, { detail: Number(detail) }));
      return answer;
    },
  });

/** The portal's way to the server: the same procedures as the REST door, typed end to end. */
export function ServerProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [asked] = useState(createAskedAgain);
  const [trpcClient] = useState(() => createTRPCClient<AppRouter>({ links: [createLink(asked)] }));
  const path = usePathname();
  useEffect(() => asked.turnTo(path), [asked, path]);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
