'use client';
import {
  MutationCache,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  useQueryClient,
} from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, splitLink, TRPCClientError } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { MAX_BATCHED_CALLS } from '#contract/limits.ts';
import type { MeView } from '#contract/settings.ts';
import type { AppRouter } from '#server/router.ts';
import { isGatewayError, reportNoResponse } from '#web/ui/reach-server.ts';

type Call = { type: string; path: string; input: unknown };

/**
 * Distinguishes queries that a page repeats automatically (by a timer or on window focus) from those that a user's
 * action causes: the first query after a navigation counts as the user's.
 */
export function createRefetchTracker() {
  let page = '';
  const seenQueries = new Set<string>();
  /** Handles a navigation, including to pages without queries. */
  const navigateTo = (path: string) => {
    if (path === page) return;
    page = path;
    seenQueries.clear();
  };
  return {
    navigateTo,
    /** Returns true if the page at this path has made the same query before. */
    isRefetch(path: string, { type, path: procedure, input }: Call): boolean {
      navigateTo(path);
      const key = JSON.stringify([procedure, input]);
      const isRepeated = type === 'query' && seenQueries.has(key);
      seenQueries.add(key);
      return isRepeated;
    },
  };
}

type RefetchTracker = ReturnType<typeof createRefetchTracker>;

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const FRESH_FOR_MS = 15_000;
const MAX_RETRIES = 2;

/** The status of a failed call; undefined without a response of the service. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof TRPCClientError ? error.data?.httpStatus : undefined;
}

/** The event of a call without a session, or with the session of another user. */
export const SIGNED_OUT = 'carelane:signed-out';
/** The event of a page that is shown again, after the same user has signed in again. */
export const SIGNED_IN_AGAIN = 'carelane:signed-in-again';
/** The event of a call that was refused, though the page offered it. */
export const FORBIDDEN = 'carelane:forbidden';

function handleDenied(error: unknown) {
  // Of one call in a batch.
  if (statusOf(error) === 401) window.dispatchEvent(new Event(SIGNED_OUT));
  if (statusOf(error) === 403) window.dispatchEvent(new Event(FORBIDDEN));
}

/**
 * Keeps what a page shows, and the forms in it, when a refetch gets no response or finds no session: the shell says so
 * and repeats it later.
 */
function keepShownData(error: unknown, query: Query<unknown, unknown>) {
  const isLater = error instanceof TRPCClientError && [undefined, 401].includes(statusOf(error));
  if (!isLater || query.state.data === undefined) return;
  query.setState({ status: 'success', error: null });
}

/** The query key prefix of the patient timeline, which every mutation may extend, even one without an event. */
const TIMELINE_KEY = [['timeline']] as const;

// Notifies in a microtask, not in a timer: a key pressed right after a button must find the page in the state that the
// button caused, so that a running save blocks the closing of its dialog.
notifyManager.setScheduler(queueMicrotask);

export function createQueryClient() {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error, query) {
        handleDenied(error);
        keepShownData(error, query as Query<unknown, unknown>);
      },
    }),
    mutationCache: new MutationCache({
      onError: handleDenied,
      onSuccess: () => void client.invalidateQueries({ queryKey: TIMELINE_KEY }),
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_FOR_MS,
        // Without a connection a query fails at once; in the default mode it would wait for the network and look slow.
        networkMode: 'always',
        refetchOnReconnect: true,
        // 4xx errors are final; only network errors and 5xx errors are retried.
        retry: (failures, error) => failures < MAX_RETRIES && (statusOf(error) ?? 500) >= 500,
      },
      // Without a connection a mutation fails; the default mode would run it later, when the user may no longer want
      // it.
      mutations: { networkMode: 'always' },
    },
  });
  repeatEarlyInvalidations(client);
  return client;
}

/**
 * Repeats the invalidation of a query whose first response is pending, once that response is there. TanStack Query
 * ignores such an invalidation, so that a change made while a list loads could be missing in it.
 */
function repeatEarlyInvalidations(client: QueryClient) {
  const outdated = new WeakSet<Query>();
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'invalidate' && query.state.data === undefined && query.state.fetchStatus === 'fetching')
      outdated.add(query);
    if (action.type === 'success' && outdated.delete(query))
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}

/** The event with the remaining seconds of the session, dispatched for each response that has the header. */
export const SESSION_ENDS_IN = 'carelane:session-ends-in';
/** The context of a call that a user's action caused: only these calls extend a session. */
export const ACT = { act: true } as const;
const IS_FROM_PROVIDER = { isFromProvider: true } as const;
/** Options of a query that a provider answers: a page shows the rest without it. */
export const FROM_PROVIDER = { meta: IS_FROM_PROVIDER, trpc: { context: IS_FROM_PROVIDER } } as const;

/** Separates repeated queries from the user's, because one header applies to all calls of a batch. */
export const createLink = (tracker: RefetchTracker, owner: string) =>
  splitLink<AppRouter>({
    condition: (call) => tracker.isRefetch(window.location.pathname, call),
    // The audit log records each read that a user caused, but not automatic repetitions.
    true: separateProviders({ 'x-carelane-user': owner, 'x-carelane-refetch': '1' }),
    false: separateProviders({ 'x-carelane-user': owner }),
  });

/** A batch is answered as a whole: queries that wait for a provider would hold back the others. */
const separateProviders = (headers: Record<string, string>) =>
  splitLink<AppRouter>({
    condition: ({ context }) => context.isFromProvider === true,
    true: createBatchLink(headers),
    false: createBatchLink(headers),
  });

const createBatchLink = (extra: Record<string, string>) =>
  httpBatchLink<AppRouter>({
    url: '/api/trpc',
    // Node reads at most 16 KiB of address and headers: larger batches are sent in parts.
    maxURLLength: 15_000,
    maxItems: MAX_BATCHED_CALLS,
    headers: ({ opList }) => ({
      // A form of another site cannot set a header, so the header shows that the call comes from this page (CSRF
      // protection).
      'x-carelane-portal': '1',
      ...(opList.some(({ context }) => context.act) && { 'x-carelane-act': '1' }),
      ...extra,
    }),
    async fetch(url, options) {
      const response = await fetchReporting(url, options as RequestInit);
      const detail = response.headers.get('x-carelane-session-ends-in');
      if (detail !== null) window.dispatchEvent(new CustomEvent(SESSION_ENDS_IN, { detail: Number(detail) }));
      return response;
    },
  });

/** Reports a request without a session, and one without a response, unless the page itself has ended it. */
async function fetchReporting(url: RequestInfo | URL, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, options);
    if (isGatewayError(response)) reportNoResponse();
    if (response.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
    return response;
  } catch (error) {
    if (!options.signal?.aborted) reportNoResponse();
    throw error;
  }
}

type RouterName = keyof AppRouter['_def']['record'];

/** Returns a function that invalidates every query of one router. */
export function useInvalidate(router: RouterName): () => Promise<void> {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () => queries.invalidateQueries(trpc[router].pathFilter());
}

/** Identifies the user of a page, and their clinic. The server refuses calls in the session of another. */
export const ownerOf = ({ tenant, user }: MeView): string => `${tenant.id}/${user.id}`;

/** The portal's tRPC client: the same procedures as the REST API, with static types. */
export function ServerProvider({ owner, children }: { owner: string; children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [tracker] = useState(createRefetchTracker);
  const [trpcClient] = useState(() => createTRPCClient<AppRouter>({ links: [createLink(tracker, owner)] }));
  const path = usePathname();
  useEffect(() => tracker.navigateTo(path), [tracker, path]);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
