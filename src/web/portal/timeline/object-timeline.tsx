import type { TimelineEntryView } from '#contract/timeline.ts';
import { Card } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { LoadMore } from '#web/ui/pagination.tsx';
import type { useTimeline } from './timeline-entries.tsx';
import { TimelineEntries, TimelineSkeleton } from './timeline-entries.tsx';

type ObjectTimelineProps = {
  timeline: ReturnType<typeof useTimeline>;
  /** Removes from an entry what is redundant on the page of its object. */
  shorten: (line: TimelineEntryView) => TimelineEntryView;
};

/** Timeline of one appointment or subscription, with actors. */
export function ObjectTimeline({ timeline: { rows, error, onRetry, stale, more }, shorten }: ObjectTimelineProps) {
  return (
    <section aria-labelledby="timeline" className="grid gap-2">
      <h2 id="timeline" className="font-semibold">
        What happened
      </h2>
      <Card className="overflow-hidden">
        {error ? (
          <ErrorState error={error} onRetry={onRetry} />
        ) : !rows ? (
          <TimelineSkeleton />
        ) : (
          <>
            <TimelineEntries lines={rows.map(shorten)} stale={stale} />
            <LoadMore {...more} count={rows.length} noun="entry" />
          </>
        )}
      </Card>
    </section>
  );
}
