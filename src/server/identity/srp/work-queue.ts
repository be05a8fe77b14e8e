import { serviceBusy } from '../../core/errors.ts';

const RETRY_AFTER_SECONDS = 3;

export type WorkQueue = {
  /** Whether new work has to wait. */
  isBusy(): boolean;
  /** Whether the priority queue (`priority`) or the normal queue is full. */
  isFull(priority: boolean): boolean;
  /** Runs the work when it is its turn; the priority queue comes before the normal one. */
  run<Result>(work: () => Promise<Result>, priority?: boolean): Promise<Result>;
  /** Rejects new work and waits until all accepted work is done. */
  close(): Promise<void>;
};

/**
 * Creates a concurrency limiter with a priority and a normal queue, each first in, first out. `maxWaiting` limits each
 * queue: a flood of normal work delays priority work only by what is already running.
 */
export function createWorkQueue({ concurrency, maxWaiting }: { concurrency: number; maxWaiting: number }): WorkQueue {
  const queues: { priority: (() => void)[]; normal: (() => void)[] } = { priority: [], normal: [] };
  const idleListeners: (() => void)[] = [];
  let running = 0;
  let closed = false;
  const queueOf = (priority: boolean) => queues[priority ? 'priority' : 'normal'];
  const isBusy = () => running >= concurrency;

  function release(): void {
    // Hand the slot to the oldest waiting work, priority first.
    const next = queues.priority.shift() ?? queues.normal.shift();
    if (next) next();
    else running -= 1;
    if (running === 0) for (const resolve of idleListeners.splice(0)) resolve();
  }

  return {
    isBusy,
    isFull: (priority) => closed || (isBusy() && queueOf(priority).length >= maxWaiting),
    async run(work, priority = false) {
      if (isBusy()) await new Promise<void>((resolve) => queueOf(priority).push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        release();
      }
    },
    async close() {
      closed = true;
      if (running > 0) await new Promise<void>((resolve) => idleListeners.push(resolve));
    },
  };
}

/**
 * Runs the work through the limiter. Evaluates `hasPriority` only when the work has to wait.
 * @throws `service_busy` when the queue is full
 */
export async function runQueued<Result>(
  queue: WorkQueue,
  work: () => Promise<Result>,
  hasPriority: () => Promise<boolean> = async () => false,
): Promise<Result> {
  const priority = queue.isBusy() && (await hasPriority());
  if (queue.isFull(priority))
    throw serviceBusy(
      `Many are waiting for this at the moment; try again in ${RETRY_AFTER_SECONDS} seconds.`,
      RETRY_AFTER_SECONDS,
    );
  return queue.run(work, priority);
}
