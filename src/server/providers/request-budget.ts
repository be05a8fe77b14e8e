import type { PutOff, TakeTurns, TurnKind } from './call-turns.ts';

/**
 * Who goes first: `urgent` is somebody's booking, `asked` is what somebody waits for, `behind` is what nobody waits for.
 */
export type Turn = 'urgent' | 'asked' | 'behind';
const ORDER: Turn[] = ['urgent', 'asked', 'behind'];
/** The turns that come no later than this one, which may wait for calls that have them. */
export const turnsUpTo = (turn: Turn): Turn[] => ORDER.slice(0, ORDER.indexOf(turn) + 1);
export type Wants = {
  turn?: Turn;
  /** Whose call it is: they take turns. */
  party?: string;
  /** Before what else the party wants. */
  first?: boolean;
};
export type Budget = {
  /** Runs the work when it is its turn. Rejects with BudgetExhausted, the work not begun. */
  run<T>(work: () => Promise<T>, wants?: Wants): Promise<T>;
  /** The other side says that there were too many: nobody calls for a moment. */
  refused(): void;
  /** Sends away whoever waits, and whoever comes. */
  close(): void;
};

/** Too many calls are waiting, or one waited too long. Told by its name, for Next's bundles have this class once each. */
export class BudgetExhausted extends Error {
  override name = 'BudgetExhausted';
}

export type Bounds = {
  /** Of all processes together; `KEPT` of them are for urgent calls alone. */
  perSecond: number;
  /** Of all processes together, … */
  connections: number;
  /** … and of one at the most. Reads leave `KEPT` of them to urgent calls. */
  concurrent: number;
  /** For each turn. Parties share it evenly, so that none keeps another out. */
  maxWaiting: number;
  /** An urgent call waits no longer; another one so many times as long. */
  maxWaitMs: number;
};

/** The part of the calls, and of the connections, that only bookings use. */
export const KEPT = 1 / 5;
/** As the other side counts. */
const SECOND_MS = 1000;
/** Moments are taken when those that are left come sooner than this, so that PostgreSQL's answer is there in time. */
const SOON_MS = 500;
/** A moment that is further off than this does not spare an urgent call another. */
const AT_ONCE_MS = 250;
/** After "too many requests", which counts by the second. */
const PUT_OFF_MS = 1100;
/** Calls that nobody waits for have one turn in so many while others want all. */
const BEHIND_EVERY = 4;
const PATIENCE = { urgent: 1, asked: 8, behind: 40 };

type Waiting = { start(): void; giveUp(error: Error): void; since: number };

/** Several parties' calls, one of each in turn. */
function createLine() {
  const parties = new Map<string, Waiting[]>();
  return {
    push(party: string, call: Waiting, first: boolean) {
      const mine = parties.get(party);
      if (mine) mine[first ? 'unshift' : 'push'](call);
      else parties.set(party, [call]);
    },
    /** The next, whose party then stands last. */
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
        const left = calls.filter((call) => !isOver(call));
        if (left.length > 0) parties.set(party, left);
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
 * Calls to another side that counts them by address. Moments at which they may go out are taken from what all processes
 * share, several at a time; within this process the urgent go first, and others by parties in turn.
 */
export function createBudget(bounds: Bounds, turns: { take: TakeTurns; putOff: PutOff }): Budget {
  const lines = { urgent: createLine(), asked: createLine(), behind: createLine() };
  const rates = { kept: bounds.perSecond * KEPT, read: bounds.perSecond * (1 - KEPT) };
  /** Moments that are taken and not used, on this process's clock. */
  const taken: Record<TurnKind, number[]> = { read: [], kept: [] };
  const taking: Record<TurnKind, boolean> = { read: false, kept: false };
  /** When this process called within the last second. */
  const called: number[] = [];
  let concurrent = Math.min(bounds.concurrent, bounds.connections);
  let running = 0;
  let served = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const size = () => lines.urgent.size() + lines.asked.size() + lines.behind.size();
  // A process with one connection opens a second for a booking that would wait for a read: the other side refuses what is
  // too many, and then has done nothing.
  const mayBook = () => running < Math.max(2, concurrent);
  const mayRead = () => running < Math.max(1, Math.floor(concurrent * (1 - KEPT)));

  /** The next that may use a moment of this kind. */
  function next(kind: TurnKind): Waiting | undefined {
    const urgent = mayBook() ? lines.urgent.shift() : undefined;
    if (urgent || kind === 'kept' || !mayRead()) return urgent;
    served += 1;
    const [first, second] = served % BEHIND_EVERY === 0 ? [lines.behind, lines.asked] : [lines.asked, lines.behind];
    return first.shift() ?? second.shift();
  }

  /** Takes some of what is wanted and not taken yet: more for whoever has more parties waiting, never more than a second's. */
  function want(kind: TurnKind, calls: number, parties: number): void {
    const missing = calls - taken[kind].length;
    const last = taken[kind].at(-1) ?? 0;
    // What is taken far ahead others would wait for.
    if (missing <= 0 || taking[kind] || closed || last - performance.now() > SOON_MS) return;
    const perSecond = rates[kind];
    const most = Math.max(1, Math.min(Math.floor(perSecond), Math.max(Math.ceil(perSecond / 2), parties)));
    const count = Math.min(missing, most);
    taking[kind] = true;
    turns
      .take(kind, count, perSecond)
      .then(({ waitMs, processes }) => {
        concurrent = Math.max(1, Math.min(bounds.concurrent, Math.floor(bounds.connections / processes)));
        const first = performance.now() + waitMs;
        for (let n = 0; n < count; n += 1) taken[kind].push(first + (n * 1000) / perSecond);
      })
      .catch((error: Error) => {
        // Nobody knows whether a call may go out: none does.
        for (const line of Object.values(lines)) for (const call of line.drop(() => true)) call.giveUp(error);
      })
      .finally(() => {
        taking[kind] = false;
        pump();
      });
  }

  function start(kind: TurnKind, now: number): void {
    const moments = taken[kind];
    // What was held up may be made good for, but not so that calls come too close together.
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
    for (const [turn, line] of Object.entries(lines) as [Turn, ReturnType<typeof createLine>][])
      for (const call of line.drop(({ since }) => now - since > bounds.maxWaitMs * PATIENCE[turn]))
        call.giveUp(new BudgetExhausted());
    start('kept', now);
    start('read', now);
    if (size() === 0) return;
    const urgent = mayBook() ? lines.urgent.size() : 0;
    const reads = mayRead() ? lines.asked.size() + lines.behind.size() : 0;
    want('kept', urgent, 1);
    const soon = taken.kept.filter((at) => at - now < AT_ONCE_MS).length;
    const late = taking.kept ? 0 : Math.max(0, urgent - soon);
    want('read', late + reads, lines.asked.parties() + lines.behind.parties());
    if (timer) clearTimeout(timer);
    const isFull = called.length >= bounds.perSecond;
    const moments = isFull
      ? [called[0]! + SECOND_MS]
      : [...taken.kept.slice(0, 1), ...taken.read.slice(0, 1)].filter((at) => at > now);
    // Whoever ends wakes the next up; else one of them may have waited for too long.
    const wait = mayBook() && moments.length > 0 ? Math.min(...moments) - now : bounds.maxWaitMs / 4;
    timer = setTimeout(pump, Math.ceil(wait));
  }

  return {
    async run(work, { turn = 'asked', party = '', first = false } = {}) {
      const line = lines[turn];
      if (closed || line.of(party) * line.parties() >= bounds.maxWaiting) throw new BudgetExhausted();
      await new Promise<void>((start, giveUp) => {
        line.push(party, { start, giveUp, since: performance.now() }, first);
        pump();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        pump();
      }
    },
    refused() {
      taken.read.length = 0;
      taken.kept.length = 0;
      turns.putOff(PUT_OFF_MS).catch(() => {}); // who calls too early is refused again
    },
    close() {
      closed = true;
      if (timer) clearTimeout(timer);
      timer = null;
      for (const line of Object.values(lines))
        for (const call of line.drop(() => true)) call.giveUp(new BudgetExhausted());
    },
  };
}
