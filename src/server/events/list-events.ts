import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_PAGE_SIZE } from '#contract/conventions.ts';
import type { ErrorSource } from '#contract/errors.ts';
import { EVENT_TYPES, type EventType, SCOPE_OF_TYPE } from '#contract/event-types.ts';
import type { Feed, ListEventsInput } from '#contract/events.ts';
import { type Actor, requireScope } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { type Filter, filterOf, fits, isHeld, presentEvent, readNumbers } from './read-numbers.ts';

/**
 * Applications that may read events, and of each type the thing itself; of the portal's people administrators. What was
 * left out silently would be taken for what never happened, so who asks for too much is told for what to ask.
 */
export function requireEvents(
  actor: Actor,
  types: readonly EventType[] = EVENT_TYPES,
  source: ErrorSource = { parameter: 'event_type' },
): void {
  if (actor.kind === 'practitioner') throw refuse('forbidden', 'Only an administrator may read events.');
  requireScope(actor, 'events:read', { patients: false });
  if (actor.kind !== 'application' || actor.scopes.has('admin')) return;
  const { scopes } = actor;
  const closed = types.filter((type) => !scopes.has(SCOPE_OF_TYPE[type]));
  if (closed.length === 0) return;
  const field = 'parameter' in source ? source.parameter : source.pointer.slice(1);
  const needed = [...new Set(closed.map((type) => `"${SCOPE_OF_TYPE[type]}"`))].join(' and ');
  throw refuse(
    'forbidden',
    `Events of the type ${closed.join(', ')} need the scope ${needed}. Name those that you may read in ${field}.`,
    { source },
  );
}

/**
 * What happened after a sequence, oldest first. With `wait` it waits for the first that fits where there is none yet, and
 * holds no connection meanwhile. Errors: `events_expired` for what is no longer held, `invalid_parameter` for a sequence
 * that nothing has yet, `service_busy`.
 */
export async function listEvents(ctx: Context, input: ListEventsInput): Promise<Feed> {
  const filter = filterOf(input);
  requireEvents(ctx.actor, input.event_type ?? filter.names?.map(([type]) => type));
  const feed = await read(ctx, input, filter);
  if (feed.items.length > 0 || !input.wait) return feed;
  return waitFor(ctx, input, filter, feed);
}

async function read(ctx: Context, input: ListEventsInput, filter: Filter): Promise<Feed> {
  const { tenantId, db } = ctx;
  const limit = input.size ?? DEFAULT_PAGE_SIZE;
  const known = await db.eventFeed.findFirst({ where: { tenantId } });
  const oldest = Number(known?.oldestSequence ?? 1);
  const newest = Number(known?.lastSequence ?? 0);
  const from = input.after_sequence ?? oldest - 1;
  if (from > newest)
    throw refuse('invalid_parameter', `There is no such sequence yet: the newest is ${newest}.`, {
      source: { parameter: 'after_sequence' },
      meta: { newest_sequence: newest },
    });
  if (from < oldest - 1) throw expired(oldest);
  const rows = await readNumbers(ctx, filter, { from, backwards: false, limit });
  const gone = rows.findLast((row) => !isHeld(row));
  if (gone) throw expired(Number(gone.sequence) + 1);
  const items = rows.filter(isHeld).map(presentEvent);
  const last = items.at(-1)?.sequence ?? 0;
  // The feed was looked at before its rows: up to there, and up to the last row, nothing is missing.
  const readThrough = items.length < limit ? Math.max(newest, last) : last;
  return { items, oldest, newest: Math.max(newest, last), readThrough };
}

const expired = (oldest: number) =>
  refuse('events_expired', `Only events from the sequence ${oldest} on are still held.`, {
    source: { parameter: 'after_sequence' },
    meta: { oldest_sequence: oldest },
  });

async function waitFor(ctx: Context, input: ListEventsInput, filter: Filter, before: Feed): Promise<Feed> {
  const over = new AbortController();
  const end = () => over.abort();
  const following = ctx.kept.events.follow(ctx.tenantId, {
    hear: (told) => told.some((one) => one.sequence > before.readThrough && fits(filter, one)) && end(),
    end,
  });
  ctx.gone?.().addEventListener('abort', end);
  const isLate = pause(input.wait! * SECOND, undefined, { signal: over.signal }).catch(() => {});
  // What was read before need not be looked at again.
  const rest = { ...input, after_sequence: before.readThrough };
  try {
    await following.ready;
    const meanwhile = await read(ctx, rest, filter);
    if (meanwhile.items.length > 0) return meanwhile;
    await isLate;
    return await read(ctx, rest, filter);
  } finally {
    following.stop();
    end();
  }
}
