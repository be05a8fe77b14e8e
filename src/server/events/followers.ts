import type { EventType } from '#contract/event-types.ts';
import type { Clock } from '#server/core/clock.ts';
import { type Database, Prisma } from '#server/core/db.ts';
import { serviceBusy } from '#server/core/errors.ts';
import type { Logger } from '#server/core/log.ts';
import type { PgListener } from './pg-listener.ts';

const CHANNEL = 'carelane_events';
/** Per tenant and process. */
const MAX_FOLLOWERS = 500;
const RETRY_AFTER_S = 5;
const BATCH = 500;
/** Polling interval while there is no listening connection: behind a pooler without a direct URL, or after it broke. */
const POLL_MS = 1_000;
/** Maximum number of recent events that are returned. */
const MAX_RECENT = 200;
/** An event is written a moment before its transaction commits. */
const COMMITTED_WITHIN_MS = 5_000;

/** A numbered event, with the fields that followers filter by. */
export type EventSummary = {
  sequence: number;
  type: EventType;
  topic: string;
  objectId: string;
  patientId: string | null;
};
type Follower = {
  /** New events, in order. */
  onEvents(events: EventSummary[]): void;
  /** No more events follow: the process shuts down. */
  onEnd(): void;
};
export type EventSubscription = {
  /** Resolves once no event that is numbered from now on is missed. */
  ready: Promise<void>;
  stop(): void;
};

type Tail = {
  tenantId: string;
  last: number;
  followers: Set<Follower>;
  ready: Promise<void>;
  reading: boolean;
  readAgain: boolean;
};
type Dependencies = { database: Database; clock: Clock; log: Logger; pgListener: PgListener | null };

/** The columns of an `EventSummary`. */
const SUMMARY = Prisma.sql`sequence::float8 as sequence, event_type as type, event_topic as topic,
  object_id as "objectId", patient_id as "patientId"`;

/**
 * The followers of events in this process. New events are read once per tenant for all its followers. Waiting holds no
 * connection except the listening one.
 */
export function createFollowers({ database, clock, log, pgListener }: Dependencies) {
  const tails = new Map<string, Tail>();
  let pollTimer: NodeJS.Timeout | null = null;
  let isEnded = false;
  pgListener?.addListener({
    channel: CHANNEL,
    // A tenant's feed has reached this sequence.
    onNotification(payload) {
      const [tenantId = '', sequence] = payload.split(' ');
      const tail = tails.get(tenantId);
      if (tail && tail.last < Number(sequence)) read(tail);
    },
    onOpen: () => tails.forEach(read),
  });

  async function begin(tail: Tail): Promise<void> {
    await pgListener?.open();
    const feed = await database.forTenant(tail.tenantId).eventFeed.findFirst({ where: { tenantId: tail.tenantId } });
    tail.last = Number(feed?.lastSequence ?? 0);
  }

  /** Reads one at a time; a notification during a read causes another read. */
  function read(tail: Tail): void {
    if (tail.reading) {
      tail.readAgain = true;
      return;
    }
    tail.reading = true;
    tail.readAgain = false;
    readOnce(tail)
      .catch((error: Error) => log.warn({ tenantId: tail.tenantId, err: error.message }, 'new events were not read'))
      .finally(() => {
        tail.reading = false;
        if (tail.readAgain && tails.get(tail.tenantId) === tail) read(tail);
      });
  }

  async function readOnce(tail: Tail): Promise<void> {
    await tail.ready;
    const events = await database.forTenant(tail.tenantId).$query<EventSummary>(Prisma.sql`
      select ${SUMMARY} from event_numbers
      where tenant_id = ${tail.tenantId}::uuid and event_numbers.sequence > ${tail.last}::bigint
      order by event_numbers.sequence limit ${BATCH}::int`);
    const newest = events.at(-1);
    if (!newest) return;
    tail.last = newest.sequence;
    tail.readAgain ||= events.length === BATCH;
    for (const follower of [...tail.followers]) follower.onEvents(events);
  }

  function tailOf(tenantId: string): Tail {
    const existing = tails.get(tenantId);
    if (existing) return existing;
    const tail: Tail = {
      tenantId,
      last: 0,
      followers: new Set(),
      ready: Promise.resolve(),
      reading: false,
      readAgain: false,
    };
    tail.ready = begin(tail);
    // The next follower starts again.
    tail.ready.catch(() => tails.delete(tenantId));
    tails.set(tenantId, tail);
    pollTimer ??= setInterval(() => {
      if (!pgListener?.isListening()) tails.forEach(read);
    }, POLL_MS).unref();
    return tail;
  }

  function unsubscribe(tail: Tail, follower: Follower): void {
    tail.followers.delete(follower);
    if (tail.followers.size > 0) return;
    if (tails.get(tail.tenantId) === tail) tails.delete(tail.tenantId);
    if (tails.size > 0 || !pollTimer) return;
    clearInterval(pollTimer);
    pollTimer = null;
  }

  return {
    /** @throws `service_busy` when a tenant has too many followers */
    follow(tenantId: string, follower: Follower): EventSubscription {
      if (isEnded) {
        follower.onEnd();
        return { ready: Promise.resolve(), stop: () => {} };
      }
      if ((tails.get(tenantId)?.followers.size ?? 0) >= MAX_FOLLOWERS)
        throw serviceBusy('Too many wait for events already; try again in a few seconds.', RETRY_AFTER_S);
      const tail = tailOf(tenantId);
      tail.followers.add(follower);
      return { ready: tail.ready, stop: () => unsubscribe(tail, follower) };
    },
    /** Returns the events of the last `ms` milliseconds, or `all` when there are too many. */
    async recent(tenantId: string, ms: number): Promise<EventSummary[] | 'all'> {
      const since = clock.now().getTime() - ms - COMMITTED_WITHIN_MS;
      const rows = await database.forTenant(tenantId).$query<EventSummary & { at: Date }>(Prisma.sql`
        select ${SUMMARY}, event_created_at as at from event_numbers where tenant_id = ${tenantId}::uuid
        order by event_numbers.sequence desc limit ${MAX_RECENT}::int`);
      const recent = rows.filter(({ at }) => at.getTime() >= since);
      if (recent.length === MAX_RECENT) return 'all';
      return recent.map(({ at: _, ...summary }) => summary).reverse();
    },
    /** While the listener is connected, it receives our own notifications too. */
    numberedHere(tenantId: string): void {
      const tail = tails.get(tenantId);
      if (tail && !pgListener?.isListening()) read(tail);
    },
    /** Ends all followers and accepts no new ones. */
    endAll(): void {
      isEnded = true;
      for (const tail of [...tails.values()]) for (const follower of [...tail.followers]) follower.onEnd();
    },
    close(): void {
      this.endAll();
      if (pollTimer) clearInterval(pollTimer);
      tails.clear();
    },
  };
}
