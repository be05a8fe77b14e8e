'use client';
import { History } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Sheet } from '#web/ui/sheet.tsx';
import { TimelineEntries, type TimelineFilter, TimelineSkeleton, useTimeline } from './timeline-entries.tsx';

type Props = { filter: TimelineFilter; title: string; onClose: () => void };

/** Timeline of one appointment or subscription. */
export function TimelineSheet({ filter, title, onClose }: Props) {
  const { rows, error, onRetry, stale, more } = useTimeline(filter);
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title={title}>
      <div className="overflow-y-auto px-1 pb-6">
        {error ? (
          <ErrorState error={error} onRetry={onRetry} />
        ) : !rows ? (
          <TimelineSkeleton />
        ) : rows.length === 0 ? (
          <EmptyState icon={History} title="Nothing yet" description="What happens shows here at once." />
        ) : (
          <TimelineEntries lines={rows} stale={stale} />
        )}
        {more.hasMore && (
          <Button size="sm" className="mx-4" pending={more.pending} onClick={more.onMore}>
            Load more
          </Button>
        )}
      </div>
    </Sheet>
  );
}
