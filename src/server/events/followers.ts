import type { EventType } from '#contract/event-types.ts';
import type { EventNumber } from '#generated/prisma/client.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Database } from '#server/core/db.ts';
import { busy } from '#server/core/errors.ts';
import type { Logger } from '#server/core/log.ts';
import type { Ear } from './ear.ts';

const CHANNEL = 'carelane_events';
/** Of one tenant, in one process. */
const MOST_FOLLOWERS = 500;
const COME_AGAIN_S = 5;
const A_READ = 500;
/** Where nothing is heard: behind a pooler without a direct address, or while the connection is broken. */
const LOOK_EVERY_MS = 1_000;
/** What is told of the recent past, at most. */
const MOST_RECENT = 200;
/** An event is written a moment before it can be seen. */
const COMMITTED_WITHIN_MS = 5_000;

/** An event that got its number, as far as followers choose by it. */
export type Told = {
  sequence: number;
  type: EventType;
  topic: string;
  objectId: string;
  patientId: string | null;
};
export type Follower = {
  /** What is new, in order. */
  hear(told: Told[]): void;
  /** Nothing more will come: the process ends. */
  end(): void;
};
export type Following = {
  /** Resolves once nothing that is numbered from now on is missed. */
  ready: Promise<void>;
  stop(): void;
};

type Tail = {
  tenantId: string;
  last: number;
  followers: Set<Follower>;
  ready: Promise<void>;
  reading: boolean;
  again: boolean;
};
type Given = { database: Database; clock: Clock; log: Logger; ear: Ear | null };

const toTold = (row: EventNumber): Told => ({
  sequence: Number(row.sequence),
  type: row.eventType as EventType,
  topic: row.eventTopic,
  objectId: row.objectId,
  patientId: row.patientId,
});

/**
 * Who waits for events in this process. New ones are read once for all who follow the same tenant, and nobody holds a
 * connection while waiting, but the one on which the process hears.
 */
export function createFollowers({ database, clock, log, ear }: Given) {
  const tails = new Map<string, Tail>();
  let looking: NodeJS.Timeout | null = null;
  let leaving = false;
  ear?.tell({
    channel: CHANNEL,
    // A tenant's feed has come to this sequence.
    hear(payload) {
      const [tenantId = '', sequence] = payload.split(' ');
      const tail = tails.get(tenantId);
      if (tail && tail.last < Number(sequence)) read(tail);
    },
    onOpen: () => tails.forEach(read),
  });

  async function begin(tail: Tail): Promise<void> {
    await ear?.open();
    const feed = await database.forTenant(tail.tenantId).eventFeed.findFirst({ where: { tenantId: tail.tenantId } });
    tail.last = Number(feed?.lastSequence ?? 0);
  }

  /** One reading at a time; what is told meanwhile is looked for by another after it. */
  function read(tail: Tail): void {
    if (tail.reading) {
      tail.again = true;
      return;
    }
    tail.reading = true;
    tail.again = false;
    readOnce(tail)
      .catch((error: Error) => log.warn({ tenantId: tail.tenantId, err: error.message }, 'new events were not read'))
      .finally(() => {
        tail.reading = false;
        if (tail.again && tails.get(tail.tenantId) === tail) read(tail);
      });
  }

  async function readOnce(tail: Tail): Promise<void> {
    await tail.ready;
    const rows = await database.forTenant(tail.tenantId).eventNumber.findMany({
      where: { tenantId: tail.tenantId, sequence: { gt: tail.last } },
      orderBy: { sequence: 'asc' },
      take: A_READ,
    });
    if (rows.length === 0) return;
    tail.last = Number(rows.at(-1)!.sequence);
    tail.again ||= rows.length === A_READ;
    const told = rows.map(toTold);
    for (const follower of [...tail.followers]) follower.hear(told);
  }

  function tailOf(tenantId: string): Tail {
    const known = tails.get(tenantId);
    if (known) return known;
    const tail: Tail = {
      tenantId,
      last: 0,
      followers: new Set(),
      ready: Promise.resolve(),
      reading: false,
      again: false,
    };
    tail.ready = begin(tail);
    // Whoever comes next tries anew.
    tail.ready.catch(() => tails.delete(tenantId));
    tails.set(tenantId, tail);
    looking ??= setInterval(() => {
      if (!ear?.isListening()) tails.forEach(read);
    }, LOOK_EVERY_MS).unref();
    return tail;
  }

  function leave(tail: Tail, follower: Follower): void {
    tail.followers.delete(follower);
    if (tail.followers.size > 0) return;
    if (tails.get(tail.tenantId) === tail) tails.delete(tail.tenantId);
    if (tails.size > 0 || !looking) return;
    clearInterval(looking);
    looking = null;
  }

  return {
    /** Error: `service_busy` where too many follow. */
    follow(tenantId: string, follower: Follower): Following {
      if (leaving) {
        follower.end();
        return { ready: Promise.resolve(), stop: () => {} };
      }
      if ((tails.get(tenantId)?.followers.size ?? 0) >= MOST_FOLLOWERS)
        throw busy('Too many wait for events already; try again in a few seconds.', COME_AGAIN_S);
      const tail = tailOf(tenantId);
      tail.followers.add(follower);
      return { ready: tail.ready, stop: () => leave(tail, follower) };
    },
    /** What was told in the last so many milliseconds, or `all` where it is too much. */
    async recent(tenantId: string, ms: number): Promise<Told[] | 'all'> {
      const since = clock.now().getTime() - ms - COMMITTED_WITHIN_MS;
      const rows = await database.forTenant(tenantId).eventNumber.findMany({
        where: { tenantId },
        orderBy: { sequence: 'desc' },
        take: MOST_RECENT,
      });
      const recent = rows.filter(({ eventCreatedAt }) => eventCreatedAt.getTime() >= since);
      return recent.length === MOST_RECENT ? 'all' : recent.map(toTold).reverse();
    },
    /** Where the ear hears, it hears of our own too. */
    numberedHere(tenantId: string): void {
      const tail = tails.get(tenantId);
      if (tail && !ear?.isListening()) read(tail);
    },
    /** Ends all who wait, and nobody waits here any more. */
    letGo(): void {
      leaving = true;
      for (const tail of [...tails.values()]) for (const follower of [...tail.followers]) follower.end();
    },
    close(): void {
      this.letGo();
      if (looking) clearInterval(looking);
      tails.clear();
    },
  };
}
