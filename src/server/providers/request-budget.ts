import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../core/db.ts';
import { newId } from '../core/ids.ts';
import type { Priority } from './scheduling-provider.ts';

type CallOptions = {
  turn?: Priority;
  /** The account that the call is for: accounts take turns. */
  party?: string;
  /** Goes before other calls of the same party. */
  first?: boolean;
};
export type Budget = {
  /** Runs the work in its turn. Rejects with BudgetExhausted if the work was not started. */
  run<T>(work: () => Promise<T>, options?: CallOptions): Promise<T>;
  /** The provider has reported too many requests: all calls pause for a moment. */
  backOff(): void;
  /** Rejects waiting and future calls. */
  close(): void;
};

/**
 * Too many calls are waiting, or one waited too long. Compare by `name`, because each of Next's bundles has its own
 * class.
 */
export class BudgetExhausted extends Error {
  override name = 'BudgetExhausted';
}

export type BudgetLimits = {
  /** For all processes together; the fraction `URGENT_SHARE` is reserved for urgent calls. */
  perSecond: number;
  /** Connections of all processes together. */
  connections: number;
  /** Connections of one process at most. Reads leave the fraction `URGENT_SHARE` to urgent calls. */
  concurrent: number;
  /** Per priority. Parties share it evenly, so that none blocks another. */
  maxWaiting: number;
  /** The longest wait of an urgent call; other priorities wait a multiple of it (`WAIT_FACTORS`). */
  maxWaitMs: number;
};

/** The fraction of calls and connections that is reserved for bookings. */
const URGENT_SHARE = 1 / 5;
/** The provider's counting window. */
const SECOND_MS = 1000;
/** New turns are requested when the last one comes sooner than this, so that PostgreSQL's response arrives in time. */
const SOON_MS = 500;
/** A later turn does not replace an additional one for an urgent call. */
const AT_ONCE_MS = 250;
/** After "too many requests", which the provider counts per second. */
const POSTPONE_MS = 1100;
/** Under load, background calls get one of this many turns. */
const BACKGROUND_EVERY = 4;
const WAIT_FACTORS = { urgent: 1, interactive: 8, background: 40 };

type Waiting = { start(): void; reject(error: Error): void; since: number };

/** Calls of several parties, served in turn. */
function createLine() {
  const parties = new Map<string, Waiting[]>();
  return {
    push(party: string, call: Waiting, first: boolean) {
      const waiting = parties.get(party);
      if (waiting) waiting[first ? 'unshift' : 'push'](call);
      else parties.set(party, [call]);
    },
    /** Returns the next call; its party moves to the end. */
    shift(): Waiting | undefined {
      const [first] = parties;
      if (!first) return undefined;
      const [party, calls] = first;
      const call = calls.shift();
      parties.delete(party);
      if (calls.length > 0) parties.set(party, calls);
      return call;
    },
    drop(isOver: (call: Waiting) => boolean): Waiting[] {
      const dropped: Waiting[] = [];
      for (const [party, calls] of parties) {
        if (!calls.some(isOver)) continue;
        dropped.push(...calls.filter(isOver));
        const remaining = calls.filter((call) => !isOver(call));
        if (remaining.length > 0) parties.set(party, remaining);
        else parties.delete(party);
      }
      return dropped;
    },
    size: () => [...parties.values()].reduce((sum, calls) => sum + calls.length, 0),
    of: (party: string) => parties.get(party)?.length ?? 0,
    parties: () => parties.size,
  };
}

/**
 * Creates a budget for calls to a provider that limits them by IP address. All processes share the turns and take
 * several at a time; within a process, urgent calls go first, others by parties in turn.
 */
export function createBudget(bounds: BudgetLimits, turns: { take: TakeTurns; postpone: Postpone }): Budget {
  const lines = { urgent: createLine(), interactive: createLine(), background: createLine() };
  const rates = { kept: bounds.perSecond * URGENT_SHARE, read: bounds.perSecond * (1 - URGENT_SHARE) };
  /** Turns taken and not used, on this process's clock. */
  const available: Record<TurnKind, number[]> = { read: [], kept: [] };
  const isTaking: Record<TurnKind, boolean> = { read: false, kept: false };
  /** The calls of this process within the last second. */
  const called: number[] = [];
  let concurrent = Math.min(bounds.concurrent, bounds.connections);
  let running = 0;
  let served = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const size = () => lines.urgent.size() + lines.interactive.size() + lines.background.size();
  // A process with one connection opens a second for a booking that would wait for a read: the provider rejects excess
  // connections without any effect.
  const mayBook = () => running < Math.max(2, concurrent);
  const mayRead = () => running < Math.max(1, Math.floor(concurrent * (1 - URGENT_SHARE)));

  /** Returns the next call that may use a turn of this kind. */
  function next(kind: TurnKind): Waiting | undefined {
    const urgent = mayBook() ? lines.urgent.shift() : undefined;
    if (urgent || kind === 'kept' || !mayRead()) return urgent;
    served += 1;
    const [first, second] =
      served % BACKGROUND_EVERY === 0 ? [lines.background, lines.interactive] : [lines.interactive, lines.background];
    return first.shift() ?? second.shift();
  }

  /** Requests missing turns: more if more parties wait, at most one second's worth. */
  function requestTurns(kind: TurnKind, calls: number, parties: number): void {
    const missing = calls - available[kind].length;
    const last = available[kind].at(-1) ?? 0;
    // Turns taken far ahead would make other processes wait.
    if (missing <= 0 || isTaking[kind] || closed || last - performance.now() > SOON_MS) return;
    const perSecond = rates[kind];
    const maximum = Math.max(1, Math.min(Math.floor(perSecond), Math.max(Math.ceil(perSecond / 2), parties)));
    const count = Math.min(missing, maximum);
    isTaking[kind] = true;
    turns
      .take(kind, count, perSecond)
      .then(({ waitMs, processes }) => {
        concurrent = Math.max(1, Math.min(bounds.concurrent, Math.floor(bounds.connections / processes)));
        const first = performance.now() + waitMs;
        for (let n = 0; n < count; n += 1) available[kind].push(first + (n * 1000) / perSecond);
      })
      .catch((error: Error) => {
        // Without turns it is unknown whether a call is allowed, so all waiting calls fail.
        for (const line of Object.values(lines)) for (const call of line.drop(() => true)) call.reject(error);
      })
      .finally(() => {
        isTaking[kind] = false;
        pump();
      });
  }

  function start(kind: TurnKind, now: number): void {
    const moments = available[kind];
    // Late turns may be made up for, but not so that calls follow each other too closely.
    while (moments[0] !== undefined && now - moments[0] > SECOND_MS) moments.shift();
    while (called[0] !== undefined && now - called[0] >= SECOND_MS) called.shift();
    while (called.length < bounds.perSecond && moments[0] !== undefined && moments[0] <= now) {
      const call = next(kind);
      if (!call) return;
      moments.shift();
      called.push(now);
      running += 1;
      call.start();
    }
  }

  function pump(): void {
    if (closed) return;
    const now = performance.now();
    for (const [turn, line] of Object.entries(lines) as [Priority, ReturnType<typeof createLine>][])
      for (const call of line.drop(({ since }) => now - since > bounds.maxWaitMs * WAIT_FACTORS[turn]))
        call.reject(new BudgetExhausted());
    start('kept', now);
    start('read', now);
    if (size() === 0) return;
    const urgent = mayBook() ? lines.urgent.size() : 0;
    const reads = mayRead() ? lines.interactive.size() + lines.background.size() : 0;
    requestTurns('kept', urgent, 1);
    const soon = available.kept.filter((at) => at - now < AT_ONCE_MS).length;
    const late = isTaking.kept ? 0 : Math.max(0, urgent - soon);
    requestTurns('read', late + reads, lines.interactive.parties() + lines.background.parties());
    if (timer) clearTimeout(timer);
    const [oldest] = called;
    const moments =
      oldest !== undefined && called.length >= bounds.perSecond
        ? [oldest + SECOND_MS]
        : [...available.kept.slice(0, 1), ...available.read.slice(0, 1)].filter((at) => at > now);
    // A call that ends pumps again; otherwise check for calls that have waited too long.
    const wait = mayBook() && moments.length > 0 ? Math.min(...moments) - now : bounds.maxWaitMs / 4;
    timer = setTimeout(pump, Math.ceil(wait));
  }

  return {
    async run(work, { turn = 'interactive', party = '', first = false } = {}) {
      const line = lines[turn];
      if (closed || line.of(party) * line.parties() >= bounds.maxWaiting) throw new BudgetExhausted();
      await new Promise<void>((start, reject) => {
        line.push(party, { start, reject, since: performance.now() }, first);
        pump();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        pump();
      }
    },
    backOff() {
      available.read.length = 0;
      available.kept.length = 0;
      turns.postpone(POSTPONE_MS).catch(() => {}); // a call sent too early is rejected again
    },
    close() {
      closed = true;
      if (timer) clearTimeout(timer);
      timer = null;
      for (const line of Object.values(lines))
        for (const call of line.drop(() => true)) call.reject(new BudgetExhausted());
    },
  };
}

/** `kept`: the turns that are reserved for bookings. */
export type TurnKind = 'read' | 'kept';
type Turns = {
  /**
   * The first call may be sent in this many ms (or earlier, if negative), each other `1000 / perSecond` ms after the
   * previous.
   */
  waitMs: number;
  /** The number of processes that call, including this one. */
  processes: number;
};
export type TakeTurns = (kind: TurnKind, calls: number, perSecond: number) => Promise<Turns>;
/** Stops the calls of all processes for a while. */
type Postpone = (ms: number) => Promise<void>;

/** Unused turns of the last moments may be made up for: one call, which the limit allows in addition to bookings. */
const CREDIT_MS = 125;
/** A process without a call for this long has ended, or does not need its share. */
const SEEN_SECONDS = 30;

/**
 * Distributes turns for calls to all processes, several per statement, on PostgreSQL's clock. The turns of a dead
 * process simply pass.
 */
export function createCallTurns(database: Pick<Database, 'system'>): { take: TakeTurns; postpone: Postpone } {
  const process = newId();
  return {
    async take(kind, calls, perSecond) {
      const span = (calls * 1000) / perSecond;
      const [turns] = await database.system.$queryRaw<Turns[]>`
        with seen as (
          insert into calling_processes (id, seen_at) values (${process}::uuid, clock_timestamp())
          on conflict (id) do update set seen_at = excluded.seen_at),
        taken as (
          insert into call_turns as t (kind, next_at)
          values (${kind}, clock_timestamp() + ${span}::float8 * interval '1 ms')
          on conflict (kind) do update
            set next_at = greatest(t.next_at, clock_timestamp() - ${CREDIT_MS} * interval '1 ms') + ${span}::float8 * interval '1 ms'
          returning next_at)
        select (extract(epoch from next_at - clock_timestamp()) * 1000 - ${span}::float8)::float8 as "waitMs",
          1 + (select count(*)::int from calling_processes
            where id <> ${process}::uuid and seen_at > now() - ${SEEN_SECONDS} * interval '1 second') as processes
        from taken`;
      if (!turns) throw new Error('PostgreSQL returned no turns');
      return turns;
    },
    async postpone(ms) {
      await database.system.$executeRaw`
        update call_turns set next_at = greatest(next_at, clock_timestamp() + ${ms}::float8 * interval '1 ms')
        where kind in ('read', 'kept')`;
    },
  };
}

/** Resolves at the caller's turn. */
export type Pace = () => Promise<void>;

/** Creates evenly spaced turns, at most `perSecond` a second. */
export function createPace(perSecond: number): Pace {
  const spacingMs = 1000 / perSecond;
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + spacingMs;
    if (at > now) await pause(at - now, undefined, { ref: false });
  };
}
