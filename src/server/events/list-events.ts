import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_PAGE_SIZE } from '#contract/conventions.ts';
import type { ErrorSource } from '#contract/errors.ts';
import { EVENT_TYPES, type EventType, SCOPE_OF_TYPE } from '#contract/event-types.ts';
import type { Feed, ListEventsInput } from '#contract/events.ts';
import { type Actor, requireScope } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, CarelaneError } from '#server/core/errors.ts';
import { readPage } from '#server/core/paging.ts';
import {
  countEvents,
  type Filter,
  filterOf,
  isStored,
  listEventRows,
  matchesFilter,
  presentEvent,
} from './event-rows.ts';

/**
 * Requires an application with `events:read` and the read scope of each type, or an admin in the portal. Missing access
 * is an error that names the scopes: leaving events out silently would look as if they never happened.
 * @throws `forbidden`
 */
export function requireEvents(
  actor: Actor,
  types: readonly EventType[] = EVENT_TYPES,
  source: ErrorSource = { parameter: 'event_type' },
): void {
  requireScope(actor, 'events:read', { patients: false });
  if (actor.kind !== 'application' || actor.scopes.has('admin')) return;
  const { scopes } = actor;
  const deniedTypes = types.filter((type) => !scopes.has(SCOPE_OF_TYPE[type]));
  if (deniedTypes.length === 0) return;
  const field = 'parameter' in source ? source.parameter : source.pointer.slice(1);
  const needed = [...new Set(deniedTypes.map((type) => `"${SCOPE_OF_TYPE[type]}"`))].join(' and ');
  throw apiError(
    'forbidden',
    `Events of the type ${deniedTypes.join(', ')} need the scope ${needed}. Name those that you may read in ${field}.`,
    { source },
  );
}

/**
 * Lists events after a sequence, oldest first. With `wait`, waits for the first matching event without holding a
 * connection. With `page`, returns a numbered page of the stored events.
 * @throws `events_expired` for a sequence that is no longer stored
 * @throws `invalid_parameter` for a sequence that does not exist yet
 * @throws `service_busy`
 */
export async function listEvents(ctx: Context, input: ListEventsInput): Promise<Feed> {
  const filter = filterOf(input);
  requireFeed(ctx.actor, input, filter);
  if (input.page !== undefined) return listNumberedPage(ctx, { ...input, page: input.page }, filter);
  const feed = await read(ctx, input, filter);
  if (feed.items.length > 0 || !input.wait) return feed;
  return waitFor(ctx, { ...input, wait: input.wait }, filter, feed);
}

const requireFeed = (actor: Actor, { event_type }: ListEventsInput, { names }: Filter): void =>
  requireEvents(actor, event_type ?? names?.map(([type]) => type));

async function read(ctx: Context, input: ListEventsInput, filter: Filter): Promise<Feed> {
  const limit = input.size ?? DEFAULT_PAGE_SIZE;
  const { oldest, newest } = await boundsOf(ctx);
  const from = input.after_sequence ?? oldest - 1;
  if (from > newest)
    throw apiError('invalid_parameter', `There is no such sequence yet: the newest is ${newest}.`, {
      source: { parameter: 'after_sequence' },
      meta: { newest_sequence: newest },
    });
  if (from < oldest - 1) throw expired(oldest);
  const rows = await listEventRows(ctx, filter, { from, backwards: false, limit });
  const expiredRow = rows.findLast((row) => !isStored(row));
  if (expiredRow) throw expired(Number(expiredRow.sequence) + 1);
  const items = rows.filter(isStored).map(presentEvent);
  const last = items.at(-1)?.sequence ?? 0;
  // The feed's end was read before its rows: nothing is missing up to there, or up to the last row.
  const readThrough = items.length < limit ? Math.max(newest, last) : last;
  return { items, oldest, newest: Math.max(newest, last), readThrough };
}

async function boundsOf({ db, tenantId }: Context): Promise<{ oldest: number; newest: number }> {
  const feed = await db.eventFeed.findFirst({ where: { tenantId } });
  return { oldest: Number(feed?.oldestSequence ?? 1), newest: Number(feed?.lastSequence ?? 0) };
}

/** For clients that only support numbered pages. Without a filter, every page costs the same. */
async function listNumberedPage(
  ctx: Context,
  input: ListEventsInput & { page: number },
  filter: Filter,
): Promise<Feed> {
  for (const parameter of ['after_sequence', 'wait'] as const)
    if (input[parameter] !== undefined)
      throw apiError('invalid_parameter', `Use one of ${parameter} and page.`, { source: { parameter: 'page' } });
  const { page, size } = input;
  const { oldest, newest } = await boundsOf(ctx);
  const isFiltered = filter.names !== null || filter.objectId !== null || filter.patientId !== null;
  const { items, totals } = await readPage(
    { page, size },
    {
      what: 'event',
      keyOf: () => null,
      async read({ limit, offset: skipped }) {
        const [start, offset] = isFiltered ? [oldest - 1, skipped] : [oldest - 1 + skipped, 0];
        const rows = await listEventRows(ctx, filter, { from: start, backwards: false, limit, offset });
        return rows.filter(isStored);
      },
      count: async () => (isFiltered ? countEvents(ctx, filter, oldest - 1) : newest - oldest + 1),
    },
    presentEvent,
  );
  const last = items.at(-1)?.sequence;
  return { items, oldest, newest: Math.max(newest, last ?? 0), readThrough: last ?? newest, totals };
}

const expired = (oldest: number) =>
  new CarelaneError(
    {
      code: 'events_expired',
      detail: `Only events from the sequence ${oldest} on are still held.`,
      source: { parameter: 'after_sequence' },
      meta: { oldest_sequence: oldest },
    },
    { headers: { 'oldest-sequence': String(oldest) } },
  );

async function waitFor(
  ctx: Context,
  { wait, ...input }: ListEventsInput & { wait: number },
  filter: Filter,
  before: Feed,
): Promise<Feed> {
  const stopped = new AbortController();
  const end = () => stopped.abort();
  const subscription = ctx.events.follow(ctx.tenantId, {
    onEvents: (events) =>
      events.some((event) => event.sequence > before.readThrough && matchesFilter(filter, event)) && end(),
    onEnd: end,
  });
  const client = ctx.abortSignal?.();
  client?.addEventListener('abort', end, { once: true });
  if (client?.aborted) end();
  const timeout = pause(wait * SECOND, undefined, { signal: stopped.signal }).catch(() => {});
  // What was read before is not read again.
  const rest = { ...input, after_sequence: before.readThrough };
  try {
    await subscription.ready;
    const newer = await readNow(ctx, rest, filter);
    if (newer.items.length > 0) return newer;
    await timeout;
    return await readNow(ctx, rest, filter);
  } finally {
    subscription.stop();
    end();
  }
}

/** Access may have been revoked while waiting; later events must not be returned. */
async function readNow(ctx: Context, input: ListEventsInput, filter: Filter): Promise<Feed> {
  const [actor, feed] = await Promise.all([ctx.reauthenticate?.() ?? ctx.actor, read(ctx, input, filter)]);
  requireFeed(actor, input, filter);
  return feed;
}
