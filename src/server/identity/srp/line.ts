import { busy } from '../../core/errors.ts';

const COME_AGAIN_SECONDS = 3;

export type Line = {
  /** Whether who comes now has to wait. */
  isBusy(): boolean;
  /** Whether nobody more may wait in front, or behind. */
  isFull(inFront: boolean): boolean;
  /** Does the work when it is its turn; whoever waits in front comes before all who wait behind. */
  run<Result>(work: () => Promise<Result>, inFront?: boolean): Promise<Result>;
  /** Lets nobody in any more, and waits until the last has been served. */
  close(): Promise<void>;
};

/**
 * Lets so much work run at a time; the rest waits in two lanes, in the order it came. So many may wait in each: a flood
 * behind makes those in front wait for no more than what is running.
 */
export function createLine({ abreast, waiting }: { abreast: number; waiting: number }): Line {
  const lanes: { front: (() => void)[]; behind: (() => void)[] } = { front: [], behind: [] };
  const ended: (() => void)[] = [];
  let running = 0;
  let closed = false;
  const laneOf = (inFront: boolean) => lanes[inFront ? 'front' : 'behind'];
  const isBusy = () => running >= abreast;

  function leave(): void {
    // Whoever waits longest takes the place over.
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
 * Does the work when the line lets it; refuses it with `service_busy` when too many wait already. Who comes in front is
 * looked up only when somebody has to wait.
 */
export async function inLine<Result>(
  line: Line,
  work: () => Promise<Result>,
  comesInFront: () => Promise<boolean> = async () => false,
): Promise<Result> {
  const inFront = line.isBusy() && (await comesInFront());
  if (line.isFull(inFront))
    throw busy(
      `Many are waiting for this at the moment; try again in ${COME_AGAIN_SECONDS} seconds.`,
      COME_AGAIN_SECONDS,
    );
  return line.run(work, inFront);
}
