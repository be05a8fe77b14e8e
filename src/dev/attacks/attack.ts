import type { AttackTarget } from './target.ts';

/**
 * One attack. `run` throws when the attack succeeds, with what happened. It also throws when the attack could not be
 * carried out, because that proves nothing.
 */
export type Attack = {
  name: string;
  /** Runs with `--long` only: it takes too long for `npm test`, or a database test covers the same. */
  isLong?: true;
  run(target: AttackTarget): Promise<void>;
};
export type Group = { title: string; attacks: Attack[] };
