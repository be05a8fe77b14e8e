import { setTimeout as pause } from 'node:timers/promises';
import type { EventView, ListEventsInput } from '#contract/events.ts';
import type { Context } from '#server/core/context.ts';
import { listEvents } from '#server/events/list-events.ts';

/**
 * Reads the feed from its start, with random page sizes and waits from `random`, and continues from the response's
 * position; `stop` reads the rest.
 */
export function startConsumer(ctx: Context, filter: Partial<ListEventsInput>, random: () => number) {
  const seen: EventView[] = [];
  let after = 0;
  let stopped = false;
  async function read(wait: number): Promise<number> {
    const size = 1 + Math.floor(random() * 60);
    const feed = await listEvents(ctx, { ...filter, after_sequence: after, size, wait });
    seen.push(...feed.items);
    after = feed.readThrough;
    return feed.items.length;
  }
  const reading = (async () => {
    while (!stopped) {
      const count = await read(random() < 0.5 ? 1 : 0);
      if (count === 0 || random() < 0.2) await pause(random() * 50);
    }
  })();
  return {
    seen,
    async stop(): Promise<EventView[]> {
      stopped = true;
      await reading;
      while ((await read(0)) > 0);
      return seen;
    },
  };
}
