import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from './fixtures.ts';

/**
 * Limits in kB, compressed, of the scripts that a page needs before it responds; what it loads later is measured by
 * `npm run bench`. 141 of them are React and Next.
 */
const PORTAL = 220;
const OTHERS = 176;
/** It calls the API as the portal does. */
const LIKE_PORTAL = /^\/(\(portal\)|playground)/;

const build = path.join(process.cwd(), '.next');
const readJson = (text: string) => JSON.parse(text) as Record<string, unknown>;

/** Next's manifest of a route is a script: `globalThis.__RSC_MANIFEST["/route"] = {…};` */
function readManifest(file: string): { route: string; scripts: Set<string> } {
  const [, route, json] = /__RSC_MANIFEST\["(.+?)"\] = (\{.+\});?\s*$/s.exec(readFileSync(file, 'utf8')) ?? [];
  const { entryJSFiles } = readJson(json!) as { entryJSFiles: Record<string, string[]> };
  return { route: route!, scripts: new Set(Object.values(entryJSFiles).flat()) };
}

test('the scripts of each page stay within its limit', () => {
  const { rootMainFiles } = readJson(readFileSync(path.join(build, 'build-manifest.json'), 'utf8')) as {
    rootMainFiles: string[];
  };
  const sizes = new Map<string, number>();
  const sizeOf = (script: string) => {
    const size = sizes.get(script) ?? gzipSync(readFileSync(path.join(build, script))).length / 1000;
    sizes.set(script, size);
    return size;
  };
  const manifests = readdirSync(path.join(build, 'server/app'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('page_client-reference-manifest.js'))
    .map((file) => readManifest(path.join(build, 'server/app', file)));
  expect(manifests.length).toBeGreaterThan(40);
  const pages = manifests
    .map(({ route, scripts }) => {
      const all = new Set([...rootMainFiles, ...scripts]);
      return { route, kB: [...all].reduce((sum, script) => sum + sizeOf(script), 0) };
    })
    .sort((a, b) => b.kB - a.kB);
  const table = pages.map(({ route, kB }) => `${kB.toFixed(1).padStart(6)} ${route}`).join('\n');
  test.info().annotations.push({ type: 'kB', description: `\n${table}` });
  const over = pages.filter(({ route, kB }) => kB > (LIKE_PORTAL.test(route) ? PORTAL : OTHERS));
  expect(over, table).toEqual([]);
});
