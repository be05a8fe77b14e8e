import type { EventType } from '#contract/event-types.ts';
import {
  EventIdInput,
  type EventPage,
  type EventView,
  ListEventsInput,
  ListLatestEventsInput,
} from '#contract/events.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { filterOf, isStored, listEventRows, presentEvent } from './event-rows.ts';
import { listEvents, requireEvents } from './list-events.ts';

/**
 * Returns one event, once it is numbered.
 * @throws `not_found`
 */
export async function getEvent(ctx: Context, { id }: EventIdInput): Promise<EventView> {
  requireEvents(ctx.actor, []);
  const number = await sequenceOf(ctx, id);
  if (!number) throw notFound('event');
  requireEvents(ctx.actor, [number.eventType as EventType]);
  const all = { names: null, objectId: null, patientId: null };
  const [row] = await listEventRows(ctx, all, { from: Number(number.sequence) - 1, backwards: false, limit: 1 });
  if (!row || !isStored(row)) throw notFound('event');
  return presentEvent(row);
}

/** Lists events newest first, for the portal. */
export async function listLatestEvents(ctx: Context, input: ListLatestEventsInput): Promise<EventPage> {
  const filter = filterOf(input);
  requireEvents(ctx.actor, input.event_type ?? filter.names?.map(([type]) => type));
  return readPage(
    input,
    {
      what: 'event',
      keyOf: async (id) => Number((await sequenceOf(ctx, id))?.sequence ?? 0) || null,
      async read({ backwards: towardsNewest, limit, beyond }) {
        const from = beyond ?? (towardsNewest ? 0 : Number.MAX_SAFE_INTEGER);
        const rows = await listEventRows(ctx, filter, { from, backwards: !towardsNewest, limit });
        return rows.filter(isStored);
      },
      count: async () => 0,
    },
    presentEvent,
  );
}

const sequenceOf = ({ db, tenantId }: Context, eventId: string) =>
  isId(eventId) ? db.eventNumber.findFirst({ where: { tenantId, eventId } }) : null;

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
