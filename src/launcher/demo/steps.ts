/** Runs steps in order and prints a line for each: number, name, duration and result. */
export function createSteps(count: number) {
  let number = 0;
  return async function step<T>(name: string, work: () => Promise<T>, describe: (result: T) => string): Promise<T> {
    number += 1;
    const startedAt = performance.now();
    const label = `${String(number).padStart(2)}/${count} ${name}`;
    try {
      const result = await work();
      const took = `${Math.round(performance.now() - startedAt)} ms`;
      console.log(`✓ ${label.padEnd(24)} ${took.padStart(8)}  ${describe(result)}`);
      return result;
    } catch (error) {
      throw new Error(`${label}: ${error instanceof Error ? error.message : error}`);
    }
  };
}

/** Asserts a step's result; the words state the expectation. */
export function check(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`expected ${expectation}`);
}
