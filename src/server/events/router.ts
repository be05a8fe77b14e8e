import { EventIdInput, ListEventsInput, ListLatestEventsInput } from '#contract/events.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { getEvent, listLatestEvents } from './get-event.ts';
import { listEvents } from './list-events.ts';

export const eventsRouter = router({
  list: patientData('Event')
    .input(ListEventsInput)
    .query(({ ctx, input }) => listEvents(ctx, input)),
  latest: patientData('Event', { action: 'events.list_latest' })
    .input(ListLatestEventsInput)
    .query(({ ctx, input }) => listLatestEvents(ctx, input)),
  get: patientData('Event')
    .input(EventIdInput)
    .query(({ ctx, input }) => getEvent(ctx, input)),
});
