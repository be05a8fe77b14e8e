/** Lets so much work run at a time; the rest waits in the order it came. */
export function createLine(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits longest takes the place over.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
