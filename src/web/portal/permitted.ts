import type { Permission } from '#contract/roles.ts';

/** A menu entry, an action or a column with the permission that it needs, or with several of which one is enough. */
export type Needing = { needs?: Permission | readonly Permission[] };

/** Leaves out what needs a permission that is not among these. */
export const permitted = <Item extends Needing>(items: readonly Item[], permissions: readonly Permission[]): Item[] =>
  items.filter(({ needs }) => needs === undefined || [needs].flat().some((one) => permissions.includes(one)));
