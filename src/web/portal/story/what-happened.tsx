import type { StoryLineView } from '#contract/story.ts';
import { Card } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { LoadMore } from '#web/ui/pagination.tsx';
import { StoryLines, StorySkeleton } from './story-lines.tsx';
import type { useStory } from './use-story.ts';

type WhatHappenedProps = {
  story: ReturnType<typeof useStory>;
  /** On the page of one thing it goes without saying what a line is about. */
  shorten: (line: StoryLineView) => StoryLineView;
};

/** What happened to one visit or subscription, and by whom. */
export function WhatHappened({ story: { rows, error, onRetry, stale, more }, shorten }: WhatHappenedProps) {
  return (
    <section aria-labelledby="timeline" className="grid gap-2">
      <h2 id="timeline" className="font-semibold">
        What happened
      </h2>
      <Card className="overflow-hidden">
        {error ? (
          <ErrorState error={error} onRetry={onRetry} />
        ) : !rows ? (
          <StorySkeleton />
        ) : (
          <>
            <StoryLines lines={rows.map(shorten)} stale={stale} />
            <LoadMore {...more} count={rows.length} noun="entry" />
          </>
        )}
      </Card>
    </section>
  );
}
