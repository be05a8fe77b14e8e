'use client';
import { useQueryClient } from '@tanstack/react-query';
import { Check, WifiOff } from 'lucide-react';
import { useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from '#web/ui/button.tsx';
import { connection } from '#web/ui/connection.ts';
import { holdPageRequests } from '#web/ui/hold-page-requests.ts';
import { LeaveContext } from '#web/ui/unsaved.tsx';

const BAR =
  'sticky top-13 z-20 mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 shadow-card lg:top-2 [&>svg]:size-4 [&>svg]:shrink-0';

/**
 * Says that the connection is lost, and that it is back. While it is lost, links wait: the page that is shown stays. On
 * return what is shown is refetched, and the last link opens.
 */
export function ConnectionBar() {
  const state = useSyncExternalStore(connection.subscribe, connection.read, () => 'connected' as const);
  const queries = useQueryClient();
  const leave = useContext(LeaveContext);
  const [waiting, setWaiting] = useState<(() => void) | null>(null);
  useEffect(() => connection.listen(), []);
  useEffect(() => holdPageRequests(), []);
  useEffect(() => {
    if (state === 'restored')
      void queries.refetchQueries({ type: 'active', predicate: (query) => query.isStale() }, { cancelRefetch: false });
    if (state !== 'lost') return;
    leave?.holdLinks((next) => setWaiting(() => next));
    return () => leave?.holdLinks(null);
  }, [state, queries, leave]);
  useEffect(() => {
    if (state === 'lost' || !waiting) return;
    setWaiting(null);
    leave?.go(waiting);
  }, [state, waiting, leave]);
  return (
    // Always mounted, so that screen readers announce what appears in it.
    <div role="status" className="contents">
      {state === 'lost' && (
        <div data-connection-bar className={`${BAR} border-warn-ink/25 bg-warn-soft text-warn-ink print:hidden`}>
          <WifiOff aria-hidden />
          <p className="min-w-0 flex-1 basis-60">
            <strong className="font-medium">No connection.</strong>{' '}
            {waiting
              ? 'What you chose opens when the connection is back.'
              : 'What you see may be out of date; what you typed stays. Carelane tries again by itself.'}
          </p>
          {waiting && (
            <Button size="sm" onClick={() => setWaiting(null)}>
              Stay here
            </Button>
          )}
          <Button size="sm" onClick={() => void connection.check()}>
            Try now
          </Button>
        </div>
      )}
      {state === 'restored' && (
        <div className={`${BAR} border-good-ink/25 bg-good-soft text-good-ink print:hidden`}>
          <Check aria-hidden />
          Connected again.
        </div>
      )}
    </div>
  );
}
