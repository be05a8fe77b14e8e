import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
/** What people read is written in these and in README.md. */
const ROOMS = ['docs', 'web', 'examples', 'contract', 'server', 'sdk', 'app', 'client', 'cli'].map(
  (name) => `src/${name}`,
);

const sources = [
  path.join(root, 'README.md'),
  ...ROOMS.flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.(tsx?|md)$/.test(entry.name))
      .filter((entry) => !entry.parentPath.includes('node_modules'))
      .map((entry) => path.join(entry.parentPath, entry.name)),
  ),
];

/** The lines of a file that people may read: of code, those that are no comment. */
const readIn = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => file.endsWith('.md') || !/^\s*(\/\*\*|\*|\/\/)/.test(line))
    .map((line) => (file.endsWith('.md') ? line : line.replace(/\s\/\/ .*$/, '')));

const placesOf = (spelling: RegExp) =>
  sources.flatMap((file) =>
    readIn(file)
      .filter((line) => spelling.test(line))
      .map((line) => `${path.relative(root, file)}: ${line.trim()}`),
  );

test('sources are found', () => {
  expect(sources.length).toBeGreaterThan(1_000);
});

test('an email is spelled in one way', () => {
  // The name of a page of Acuity's own.
  expect(placesOf(/(?<!Client )\be-mails?\b/i)).toEqual([]);
});

test('a page says that it is a sandbox in one way', () => {
  const badges = placesOf(/^\s*Sandbox$|>Sandbox</).map((place) => place.split(':')[0]);
  expect(badges).toEqual(['src/web/ui/sandbox-badge.tsx']);
});
