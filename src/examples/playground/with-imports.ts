const NEEDED = / from '\.\/([\w-]+)\.ts'/g;

/** Returns the given files of steps/, then the configuration of the SDK and all files that they import. */
export function withImports(names: string[], code: Record<string, string>): string[] {
  const all = new Set([...names, 'configure']);
  // A Set iterates over entries that are added during the loop.
  for (const name of all) for (const [, needed] of (code[name] ?? '').matchAll(NEEDED)) all.add(needed!);
  return [...all];
}
