'use client';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Card } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';

/** Longest wait: a request without a response must not hold back the rest. */
const LONGEST_MS = 4_000;

const isAwaited = ({ state }: Query) => state.status === 'pending' && state.fetchStatus === 'fetching';

/**
 * Sections of a page with their own queries. They are laid out hidden, and shown once all of them have loaded, so that
 * none shifts another.
 */
export function ShownTogether({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const cache = queries.getQueryCache();
    const look = () => cache.findAll().some(isAwaited) || setReady(true);
    // The sections' own effects have run before this one, so their queries are pending already.
    look();
    const forget = cache.subscribe(() => queueMicrotask(look));
    const longest = setTimeout(() => setReady(true), LONGEST_MS);
    return () => {
      forget();
      clearTimeout(longest);
    };
  }, [queries]);
  return (
    <div className="relative min-h-80">
      {!isReady && (
        <Card className="absolute inset-x-0 top-0 overflow-hidden">
          <DataTableSkeleton columns={4} />
        </Card>
      )}
      <div className={isReady ? undefined : 'invisible'}>{children}</div>
    </div>
  );
}
