import { ADDRESSES } from './addresses.ts';
import type { Group } from './attack.ts';
import { CLINICS } from './clinics.ts';
import { ENDPOINTS } from './endpoints.ts';
import { EXCESSIVE_REQUESTS } from './excessive-requests.ts';
import { FUZZ } from './fuzz.ts';
import { LOCKOUTS } from './lockouts.ts';
import { PATIENTS } from './patients.ts';
import { SIGN_UP } from './sign-up.ts';
import type { AttackTarget } from './target.ts';
import { WEAK_PASSWORDS } from './weak-passwords.ts';

/** The groups of a row run one after the other, the rows concurrently. */
const PARALLEL_GROUPS: Group[][] = [
  [SIGN_UP, PATIENTS, WEAK_PASSWORDS],
  [ADDRESSES, LOCKOUTS, EXCESSIVE_REQUESTS, ENDPOINTS, CLINICS],
];
/** Runs after all others, because it ends sessions. */
const FINAL_GROUPS: Group[] = [FUZZ];

export interface Outcome {
  held: number;
  failures: { name: string; why: string }[];
}

/**
 * Runs the attacks group by group and prints a line for each. @param only runs the attacks whose name contains this
 * text
 */
export async function runAttacks(target: AttackTarget, only = ''): Promise<Outcome> {
  const outcome: Outcome = { held: 0, failures: [] };
  async function runGroup({ title, attacks }: Group): Promise<void> {
    const lines: string[] = [];
    const selected = attacks.filter(
      ({ name, isLong }) => `${title}: ${name}`.includes(only) && (target.isLong || !isLong),
    );
    for (const { name, run } of selected) {
      const begun = performance.now();
      const happened = await run(target).then(
        () => null,
        (error: Error) => error.message,
      );
      const duration = `${Math.round(performance.now() - begun)} ms`;
      if (happened === null) outcome.held += 1;
      else outcome.failures.push({ name: `${title}: ${name}`, why: happened });
      lines.push(happened === null ? `  held    ${name}  (${duration})` : `  FAILED  ${name}  (${happened})`);
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
