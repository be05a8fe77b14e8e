import type { Metadata } from '../objects.ts';

/** Merges metadata as Stripe does: keys are added or replaced, an empty value deletes its key, null deletes all. */
export function mergeMetadata(current: Metadata, given: Metadata | null | undefined): Metadata {
  if (given === undefined) return current;
  if (given === null) return {};
  return Object.fromEntries(Object.entries({ ...current, ...given }).filter(([, value]) => value !== ''));
}
