import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleStateOf } from './module-state.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** The only state that outlives the services, with the reason. */
const EXCEPTIONS: { file: string; state: string[]; because: string }[] = [
  {
    file: 'src/server/http/services.ts',
    state: ['the process globalThis', 'a change holder'],
    because: 'Next bundles pages and the proxy apart from the process, and they reach its services by this alone',
  },
  {
    file: 'src/server/http/auth-handler.ts',
    state: ['the environment NEXTAUTH_URL'],
    because: 'next-auth knows its own address from the environment only; set before each of its answers',
  },
  {
    file: 'src/main.ts',
    state: [
      'the environment NEXTAUTH_URL',
      'the environment NEXTAUTH_SECRET',
      'the environment NEXT_TELEMETRY_DISABLED',
    ],
    because: 'the same for what Next calls by itself; the process that is started has one set of services',
  },
  {
    file: 'src/server/core/zone.ts',
    state: ['a container Map', 'a change spans', 'a container Map', 'a change days'],
    because: 'what clocks show in a zone is a constant of the world; only what was asked for is worked out',
  },
  {
    file: 'src/server/core/ids.ts',
    state: ['a variable newest'],
    because: 'ids of one millisecond follow each other (RFC 9562, 6.2) in a process; no answer depends on the last one',
  },
];

const files = ['src/server', 'src/jobs', 'src/app']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
  )
  .concat('src/main.ts', 'src/proxy.ts');

describe('process-lifetime state', () => {
  it('is created by createServices: no module holds any, except with a reason', () => {
    const states = files.flatMap((file) =>
      moduleStateOf(file, readFileSync(path.join(root, file), 'utf8')).map(
        ({ what, name }) => `${file}: ${what} ${name}`,
      ),
    );
    const excepted = EXCEPTIONS.flatMap(({ file, state }) => state.map((one) => `${file}: ${one}`));
    expect([...new Set(states)].sort()).toEqual([...new Set(excepted)].sort());
  });

  it.each([
    ['let known = null;', 'a variable known'],
    ['export let known = null;', 'a variable known'],
    ['const memory = new Map<string, string>();', 'a container Map'],
    ['const memory = new LRUCache({ max: 1 });', 'a container LRUCache'],
    ['const memories = { of: new WeakMap() };', 'a container WeakMap'],
    ['const line = createLine({ abreast: 1 });', 'something made createLine'],
    ['const known: string[] = []; export const f = (x: string) => known.push(x);', 'a change known'],
    ['const holder = {} as { x?: string }; export function f() { holder.x ??= "1"; }', 'a change holder'],
    ['export const f = () => Symbol.for("budget");', 'a symbol of the process Symbol.for'],
    ['export function f(x: string) { process.env.X = x; }', 'the environment X'],
    ['export const f = () => globalThis;', 'the process globalThis'],
  ])('%s is detected', (source, seen) => {
    expect(moduleStateOf('src/server/a.ts', source).map(({ what, name }) => `${what} ${name}`)).toContain(seen);
  });

  it.each([
    "const ENDED = new Set(['canceled', 'expired']);",
    "const BY_NAME: ReadonlyMap<string, number> = new Map([['a', 1]]);",
    'export function createMemory() { const entries = new Map(); let n = 0; return () => entries.set("a", ++n); }',
    'export const make = () => ({ memory: new Map(), line: createLine() });',
  ])('%s is not module state', (source) => {
    expect(moduleStateOf('src/server/a.ts', source)).toEqual([]);
  });
});
