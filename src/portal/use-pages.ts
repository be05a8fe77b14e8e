'use client';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Page } from '#contract/conventions.ts';

type Source<Item> = {
  queryKey: QueryKey;
  /** Reads one page, from after the given id or from the start. */
  read: (startingAfter: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;
};

/** A list that grows by cursor, in the words of DataTable. Older rows stay on screen while a new search runs. */
export function usePages<Item>({ queryKey, read }: Source<Item>) {
  const query = useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  return {
    rows,
    error: query.data ? null : query.error,
    onRetry: () => void query.refetch(),
    stale: query.isPlaceholderData,
    more: {
      hasMore: query.hasNextPage,
      pending: query.isFetchingNextPage,
      onMore: () => void query.fetchNextPage(),
    },
  };
}
