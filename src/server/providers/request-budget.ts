const WINDOW_MS = 1000;

export type Budget = {
  /** Runs the work when there is room; urgent work goes first. Rejects with BudgetExhausted, the work not begun. */
  run<T>(work: () => Promise<T>, urgent?: boolean): Promise<T>;
  /** Sends away whoever waits, and whoever comes. */
  close(): void;
};

/** Too many calls are waiting, or one waited too long. Told by its name, for Next's bundles have this class once each. */
export class BudgetExhausted extends Error {
  override name = 'BudgetExhausted';
}

type Waiting = { start(): void; giveUp(): void; since: number };

/**
 * At most `perSecond` calls reach the other side in any second, and `concurrent` run at once; others wait in line for
 * `maxWaitMs`. A call counts from its start until a second after its end, because when it arrived between the two is
 * not known here.
 */
export function createBudget(bounds: {
  perSecond: number;
  concurrent: number;
  maxWaiting: number;
  maxWaitMs: number;
}): Budget {
  const lines: { urgent: Waiting[]; ordinary: Waiting[] } = { urgent: [], ordinary: [] };
  let ends: number[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  function pump(): void {
    const now = performance.now();
    for (const line of [lines.urgent, lines.ordinary])
      while (line[0] && now - line[0].since > bounds.maxWaitMs) line.shift()!.giveUp();
    ends = ends.filter((at) => now - at < WINDOW_MS);
    while (running < bounds.concurrent && running + ends.length < bounds.perSecond) {
      const next = lines.urgent.shift() ?? lines.ordinary.shift();
      if (!next) return;
      running += 1;
      next.start();
    }
    if (timer || lines.urgent.length + lines.ordinary.length === 0) return;
    const wait = ends[0] === undefined ? WINDOW_MS : WINDOW_MS - (now - ends[0]);
    timer = setTimeout(() => {
      timer = null;
      pump();
    }, Math.ceil(wait) + 1);
  }

  return {
    async run(work, urgent = false) {
      if (closed || lines.urgent.length + lines.ordinary.length >= bounds.maxWaiting) throw new BudgetExhausted();
      await new Promise<void>((start, reject) => {
        const giveUp = () => reject(new BudgetExhausted());
        lines[urgent ? 'urgent' : 'ordinary'].push({ start, giveUp, since: performance.now() });
        pump();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        ends.push(performance.now());
        pump();
      }
    },
    close() {
      closed = true;
      if (timer) clearTimeout(timer);
      timer = null;
      for (const line of [lines.urgent, lines.ordinary]) for (const { giveUp } of line.splice(0)) giveUp();
    },
  };
}
