'use client';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Card } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';

/** What does not answer must not keep the rest back for longer. */
const LONGEST_MS = 4_000;

const isAwaited = ({ state }: Query) => state.status === 'pending' && state.fetchStatus === 'fetching';

/**
 * Parts of a page that each ask for what they show. They take their places unseen and are shown once the last one has its
 * rows, so that none is pushed about by another under the eyes of a reader.
 */
export function ShownTogether({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const cache = queries.getQueryCache();
    const look = () => cache.findAll().some(isAwaited) || setReady(true);
    // The parts' own effects have run before this one: what they ask for is under way.
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
