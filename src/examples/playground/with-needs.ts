const NEEDED = / from '\.\/([\w-]+)\.ts'/g;

/** Files of steps/, and after them what the SDK is configured with and all that they import: to be taken as they are. */
export function withNeeds(names: string[], code: Record<string, string>): string[] {
  const all = new Set([...names, 'configure']);
  // A set that grows while it is walked is walked to its new end.
  for (const name of all) for (const [, needed] of (code[name] ?? '').matchAll(NEEDED)) all.add(needed!);
  return [...all];
}
