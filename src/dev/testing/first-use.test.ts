import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../launcher/root.mjs';

/** Static imports and re-exports that are not type-only: what a page loads before any interaction. */
const STATIC = /^(?:import|export)\s(?!type\b)(?:\{(?<names>[^}]*)\}|[^'{}]*)\s*(?:from\s+)?'(?<specifier>[^']+)'/gm;
const onlyTypes = (names: string) => names.split(',').every((name) => name.trim() === '' || /^\s*type\s/.test(name));

const fileOf = (from: string, specifier: string): string | null => {
  if (specifier.startsWith('#')) return path.join(root, 'src', specifier.slice(1));
  return specifier.startsWith('.') ? path.join(path.dirname(from), specifier) : null;
};

/** Returns the import path from a page to a package that its browser would load first, or null. */
function wayTo(wanted: string, page: string): string[] | null {
  const seen = new Set<string>();
  const walk = (file: string, isInBrowser: boolean): string[] | null => {
    const key = `${file} ${isInBrowser}`;
    if (seen.has(key) || !/\.tsx?$/.test(file)) return null;
    seen.add(key);
    const source = readFileSync(file, 'utf8');
    const there = isInBrowser || source.startsWith("'use client'");
    for (const { groups } of source.matchAll(STATIC)) {
      if (groups!.names && onlyTypes(groups!.names)) continue;
      if (groups!.specifier === wanted && there) return [file];
      const next = fileOf(file, groups!.specifier!);
      const rest = next && walk(next, there);
      if (rest) return [file, ...rest];
    }
    return null;
  };
  return walk(page, false)?.map((file) => path.relative(root, file)) ?? null;
}

const APP = path.join(root, 'src/app');
const pages = readdirSync(APP, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)(page|layout|error)\.tsx$/.test(file))
  .map((file) => path.join(APP, file));

test('finds the pages, and the path to a package that one loads first', () => {
  expect(pages.length).toBeGreaterThan(20);
  const page = path.join(root, 'src/app/(portal)/patients/page.tsx');
  expect(wayTo('@tanstack/react-query', page)?.at(-1)).toMatch(/^src\/web\//);
});

test('no page loads zod before its first use', () => {
  expect(pages.flatMap((page) => wayTo('zod', page) ?? [])).toEqual([]);
});
