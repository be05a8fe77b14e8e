import { randomInt } from 'node:crypto';

/** A random order in which each item is equally likely in each place (Fisher and Yates). */
export function inRandomOrder<T>(items: T[], below: (bound: number) => number = randomInt): T[] {
  const drawn = [...items];
  for (let last = drawn.length - 1; last > 0; last -= 1) {
    const pick = below(last + 1);
    [drawn[last], drawn[pick]] = [drawn[pick]!, drawn[last]!];
  }
  return drawn;
}
