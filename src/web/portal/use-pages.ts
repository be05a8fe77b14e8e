'use client';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Page } from '#contract/conventions.ts';

const MOST_TRIES = 5;

type Source<Item> = {
  queryKey: QueryKey;
  /** Reads one page, from after the given id or, with how many there are in all, from the start. */
  read: (from: { starting_after?: string; with_total?: true }, signal: AbortSignal) => Promise<Page<Item>>;
  /** For what changes without being told of: asked again as long as so few pages are shown. */
  again?: { everyMs: number; mostPages: number };
};

/** A list that grows by cursor, in the words of DataTable. Older rows stay on screen while a new search runs. */
export function usePages<Item>({ queryKey, read, again }: Source<Item>) {
  const query = useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam, signal }) => read(pageParam ? { starting_after: pageParam } : { with_total: true }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      again && (state.data?.pages.length ?? 0) <= again.mostPages ? again.everyMs : false,
  });
  const [asked, setAsked] = useState(false);
  /** What is told live may have all pages read anew just then, which ends what was asked for, or comes before it. */
  async function loadMore(): Promise<void> {
    const before = query.data?.pages.length ?? 0;
    setAsked(true);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { data, isError } = await query.fetchNextPage({ cancelRefetch: false });
      if (isError || (data?.pages.length ?? 0) > before) break;
    }
    setAsked(false);
  }
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  return {
    rows,
    error: query.data ? null : query.error,
    onRetry: () => void query.refetch(),
    stale: query.isPlaceholderData,
    more: {
      total: query.data?.pages[0]?.total,
      hasMore: query.hasNextPage,
      pending: query.isFetchingNextPage || asked,
      onMore: () => void loadMore(),
    },
  };
}
