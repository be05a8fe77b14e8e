const WINDOW_MS = 1000;

export type Budget = {
  /** Runs the work when there is room; urgent work goes first. Rejects with BudgetExhausted, the work not begun. */
  run<T>(work: () => Promise<T>, urgent?: boolean): Promise<T>;
};

/** Too many calls are waiting, or one waited too long. */
export class BudgetExhausted extends Error {}

type Waiting = { start(): void; giveUp(): void; since: number };

/** At most `perSecond` starts in any second and `concurrent` calls at once; others wait in line for `maxWaitMs`. */
export function createBudget(bounds: {
  perSecond: number;
  concurrent: number;
  maxWaiting: number;
  maxWaitMs: number;
}): Budget {
  const lines: { urgent: Waiting[]; ordinary: Waiting[] } = { urgent: [], ordinary: [] };
  let starts: number[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | null = null;

  function pump(): void {
    const now = performance.now();
    for (const line of [lines.urgent, lines.ordinary])
      while (line[0] && now - line[0].since > bounds.maxWaitMs) line.shift()!.giveUp();
    starts = starts.filter((at) => now - at < WINDOW_MS);
    while (running < bounds.concurrent && starts.length < bounds.perSecond) {
      const next = lines.urgent.shift() ?? lines.ordinary.shift();
      if (!next) return;
      starts.push(now);
      running += 1;
      next.start();
    }
    if (timer || lines.urgent.length + lines.ordinary.length === 0) return;
    const oldest = starts[0];
    const wait = starts.length >= bounds.perSecond && oldest !== undefined ? WINDOW_MS - (now - oldest) : WINDOW_MS;
    timer = setTimeout(() => {
      timer = null;
      pump();
    }, Math.ceil(wait) + 1);
  }

  return {
    async run(work, urgent = false) {
      if (lines.urgent.length + lines.ordinary.length >= bounds.maxWaiting) throw new BudgetExhausted();
      await new Promise<void>((start, reject) => {
        const giveUp = () => reject(new BudgetExhausted());
        lines[urgent ? 'urgent' : 'ordinary'].push({ start, giveUp, since: performance.now() });
        pump();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        pump();
      }
    },
  };
}
