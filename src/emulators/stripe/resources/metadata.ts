import type { Metadata } from '../objects.ts';

/** Stripe's update: keys are added or replaced, an empty value takes its key away, null takes all away. */
export function mergeMetadata(current: Metadata, given: Metadata | null | undefined): Metadata {
  if (given === undefined) return current;
  if (given === null) return {};
  return Object.fromEntries(Object.entries({ ...current, ...given }).filter(([, value]) => value !== ''));
}
