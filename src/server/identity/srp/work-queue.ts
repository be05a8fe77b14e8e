import { serviceBusy } from '../../core/errors.ts';

const COME_AGAIN_SECONDS = 3;

export type WorkQueue = {
  /** Whether new work has to wait. */
  isBusy(): boolean;
  /** Whether the priority queue (`inFront`) or the normal queue is full. */
  isFull(inFront: boolean): boolean;
  /** Runs the work when it is its turn; the priority queue comes before the normal one. */
  run<Result>(work: () => Promise<Result>, inFront?: boolean): Promise<Result>;
  /** Rejects new work and waits until all accepted work is done. */
  close(): Promise<void>;
};

/**
 * Creates a concurrency limiter with a priority and a normal queue, each first in, first out. `waiting` limits each
 * queue: a flood of normal work delays priority work only by what is already running.
 */
export function createWorkQueue({ abreast, waiting }: { abreast: number; waiting: number }): WorkQueue {
  const lanes: { front: (() => void)[]; behind: (() => void)[] } = { front: [], behind: [] };
  const ended: (() => void)[] = [];
  let running = 0;
  let closed = false;
  const laneOf = (inFront: boolean) => lanes[inFront ? 'front' : 'behind'];
  const isBusy = () => running >= abreast;

  function leave(): void {
    // Hand the slot to the oldest waiting work, priority first.
    const next = lanes.front.shift() ?? lanes.behind.shift();
    if (next) next();
    else running -= 1;
    if (running === 0) for (const tell of ended.splice(0)) tell();
  }

  return {
    isBusy,
    isFull: (inFront) => closed || (isBusy() && laneOf(inFront).length >= waiting),
    async run(work, inFront = false) {
      if (isBusy()) await new Promise<void>((resolve) => laneOf(inFront).push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    async close() {
      closed = true;
      if (running > 0) await new Promise<void>((resolve) => ended.push(resolve));
    },
  };
}

/**
 * Runs the work through the limiter. Evaluates `comesInFront` only when the work has to wait.
 * @throws `service_busy` when the queue is full
 */
export async function runQueued<Result>(
  line: WorkQueue,
  work: () => Promise<Result>,
  comesInFront: () => Promise<boolean> = async () => false,
): Promise<Result> {
  const inFront = line.isBusy() && (await comesInFront());
  if (line.isFull(inFront))
    throw serviceBusy(
      `Many are waiting for this at the moment; try again in ${COME_AGAIN_SECONDS} seconds.`,
      COME_AGAIN_SECONDS,
    );
  return line.run(work, inFront);
}
