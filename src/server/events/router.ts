import { EventIdInput, ListEventsInput, ListLatestEventsInput } from '#contract/events.ts';
import { procedure, router } from '#server/core/trpc.ts';
import { listEvents } from './list-events.ts';
import { getEvent, listLatestEvents } from './read-event.ts';

export const eventsRouter = router({
  list: procedure.input(ListEventsInput).query(({ ctx, input }) => listEvents(ctx, input)),
  latest: procedure.input(ListLatestEventsInput).query(({ ctx, input }) => listLatestEvents(ctx, input)),
  get: procedure.input(EventIdInput).query(({ ctx, input }) => getEvent(ctx, input)),
});
