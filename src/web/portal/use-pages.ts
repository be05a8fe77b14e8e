'use client';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Page } from '#contract/conventions.ts';

const MAX_ATTEMPTS = 5;

type Source<Item, Extra> = {
  queryKey: QueryKey;
  /** Loads one page: after the given id, or the first page with the total. */
  read: (from: { starting_after?: string; with_total?: true }, signal: AbortSignal) => Promise<Page<Item> & Extra>;
  /** False: nothing is loaded. */
  enabled?: boolean;
  /** Polling for data without live events, as long as at most so many pages are shown. */
  polling?: { intervalMs: number; maxPages: number };
};

/** A list with cursor pagination, in the shape of DataTable. Older rows stay on screen while a new search runs. */
export function usePages<Item, Extra = unknown>(source: Source<Item, Extra>) {
  const { queryKey, read, enabled = true, polling } = source;
  const query = useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam, signal }) => read(pageParam ? { starting_after: pageParam } : { with_total: true }, signal),
    enabled,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      polling && (state.data?.pages.length ?? 0) <= polling.maxPages ? polling.intervalMs : false,
  });
  const [isLoadingMore, setLoadingMore] = useState(false);
  /**
   * A live change may refetch all pages at the same time, which cancels or precedes this request; so it is repeated.
   */
  async function loadMore(): Promise<void> {
    const pageCount = query.data?.pages.length ?? 0;
    setLoadingMore(true);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { data, isError } = await query.fetchNextPage({ cancelRefetch: false });
      if (isError || (data?.pages.length ?? 0) > pageCount) break;
    }
    setLoadingMore(false);
  }
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  return {
    rows,
    firstPage: query.data?.pages[0],
    error: query.data ? null : query.error,
    onRetry: () => void query.refetch(),
    stale: query.isPlaceholderData,
    more: {
      total: query.data?.pages[0]?.total,
      hasMore: query.hasNextPage,
      pending: query.isFetchingNextPage || isLoadingMore,
      onMore: () => void loadMore(),
    },
  };
}
