import type { Group } from './attack.ts';
import { FINAL_GROUPS, PARALLEL_GROUPS } from './groups.ts';
import type { World } from './world.ts';

export interface Outcome {
  held: number;
  failures: { name: string; why: string }[];
}

/**
 * Runs the attacks group by group and prints a line for each. @param only runs the attacks whose name contains this
 * text
 */
export async function runAttacks(world: World, only = ''): Promise<Outcome> {
  const outcome: Outcome = { held: 0, failures: [] };
  async function runGroup({ title, attacks }: Group): Promise<void> {
    const lines: string[] = [];
    const selected = attacks.filter(
      ({ name, isLong }) => `${title}: ${name}`.includes(only) && (world.isLong || !isLong),
    );
    for (const { name, run } of selected) {
      const begun = performance.now();
      const happened = await run(world).then(
        () => null,
        (error: Error) => error.message,
      );
      const took = `${Math.round(performance.now() - begun)} ms`;
      if (happened === null) outcome.held += 1;
      else outcome.failures.push({ name: `${title}: ${name}`, why: happened });
      lines.push(happened === null ? `  held    ${name}  (${took})` : `  FAILED  ${name}  (${happened})`);
    }
    if (lines.length > 0) console.log(['', title, ...lines].join('\n'));
  }
  async function runGroups(groups: Group[]): Promise<void> {
    for (const group of groups) await runGroup(group);
  }
  await Promise.all(PARALLEL_GROUPS.map(runGroups));
  await runGroups(FINAL_GROUPS);
  return outcome;
}
