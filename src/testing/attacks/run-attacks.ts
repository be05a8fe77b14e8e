import { GROUPS } from './groups.ts';
import type { World } from './world.ts';

/** Tries one after the other and prints a line for each. @param only a part of the names of those that are meant */
export async function runAttacks(world: World, only = ''): Promise<{ held: number; failed: number }> {
  const counts = { held: 0, failed: 0 };
  for (const { title, attacks } of GROUPS) {
    const meant = attacks.filter(({ name }) => `${title} ${name}`.includes(only));
    if (meant.length > 0) console.log(`\n${title}`);
    for (const { name, run } of meant) {
      const begun = performance.now();
      const happened = await run(world).then(
        () => null,
        (error: Error) => error.message,
      );
      const took = `${Math.round(performance.now() - begun)} ms`;
      counts[happened === null ? 'held' : 'failed'] += 1;
      console.log(happened === null ? `  held    ${name}  (${took})` : `  FAILED  ${name}  (${happened})`);
    }
  }
  return counts;
}
