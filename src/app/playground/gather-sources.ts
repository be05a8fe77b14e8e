import { readFileSync } from 'node:fs';
import path from 'node:path';

const ENTRY = 'src/examples/playground/take-along/main.tsx';
const SDK = '@carelane/auth-sdk';
const IMPORTED = /(?<before>\bfrom |\bimport\()'(?<source>[^']+)'/g;
/** Lines that are only for this repository's tools. */
const OURS = [/^'use client';\n/, /^ *(?:\/\/ biome-ignore|\{\/\* biome-ignore)[^\n]*\n/gm];
/** Maps folders of this repository to folders of the packed app; the first match applies. */
const PLACES = [
  ['src/examples/playground/take-along/', 'src/'],
  ['src/examples/playground/', 'src/'],
  ['src/web/ui/stripe/load-stripe-js.ts', 'src/steps/load-stripe-js.ts'],
  ['src/web/ui/stripe/', 'src/'],
  ['src/web/ui/', 'src/ui/'],
  ['src/contract/', 'src/ui/'],
] as const;

function placeOf(file: string): string {
  const [from, to] = PLACES.find(([folder]) => file.startsWith(folder)) ?? [];
  if (!from) throw new Error(`${file} has no place in an app of its own`);
  return file.replace(from, to!);
}

/** The imported file, or null for a package. */
function fileOf(source: string, importer: string): string | null {
  if (source.startsWith('.')) return path.posix.join(path.posix.dirname(importer), source);
  return source.startsWith('#') ? source.replace('#', 'src/') : null;
}

/** The package `react-dom` for `react-dom/client`. */
const packageOf = (source: string): string => source.split('/', source.startsWith('@') ? 2 : 1).join('/');

/**
 * Collects the playground's app with all its imports, each file at its path in the packed app.
 * @returns texts by path, and the imported packages
 */
export function gatherSources(): { files: Map<string, string>; packages: Set<string> } {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const waiting = new Set([ENTRY]);
  // A set that grows during iteration is iterated to its new end.
  for (const file of waiting) {
    const text = OURS.reduce(
      (left, ours) => left.replace(ours, ''),
      readFileSync(path.join(/* turbopackIgnore: true */ process.cwd(), file), 'utf8'),
    );
    const place = placeOf(file);
    const rewritten = text.replaceAll(IMPORTED, (...given) => {
      const { before, source } = given.at(-1) as { before: string; source: string };
      const target = fileOf(source, file);
      if (target?.startsWith('src/sdk/') || target === null) {
        packages.add(target === null ? packageOf(source) : SDK);
        return `${before}'${target === null ? source : SDK}'`;
      }
      waiting.add(target);
      const way = path.posix.relative(path.posix.dirname(place), placeOf(target));
      return `${before}'${way.startsWith('.') ? way : `./${way}`}'`;
    });
    if (files.has(place)) throw new Error(`two files would be ${place}`);
    files.set(place, rewritten);
  }
  return { files, packages };
}
