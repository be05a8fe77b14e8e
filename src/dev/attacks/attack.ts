import type { World } from './world.ts';

/**
 * One thing that somebody may try. It throws when it succeeds: what is thrown says what happened. Whatever stands in its
 * way besides what it is about is thrown too, for an attack that could not be tried has shown nothing.
 */
export type Attack = {
  name: string;
  /** Only in the long form: it takes too long for every day, or a suite on the database shows the same. */
  isLong?: true;
  run(world: World): Promise<void>;
};
export type Group = { title: string; attacks: Attack[] };
