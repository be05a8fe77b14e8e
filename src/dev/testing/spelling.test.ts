import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
/** The folders with texts that people read, in addition to README.md. */
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

/** Returns the lines of a file that people may read: all of a document, and code without comments. */
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

test('finds the sources', () => {
  expect(sources.length).toBeGreaterThan(1_000);
});

test('email has one spelling', () => {
  // The name of a page in Acuity.
  expect(placesOf(/(?<!Client )\be-mails?\b/i)).toEqual([]);
});

test('an email is no mail, and a text message no SMS', () => {
  const AS_NOUN = /\b(?:an?|any|by|every|in|new|newest|no|of|or|our|that|the|their|this|your) mails?\b(?!\.)/i;
  expect(placesOf(AS_NOUN)).toEqual([]);
  expect(placesOf(/\bmail (?:programs?|servers?|services?)\b|\b[Mm]ailed\b|\bSMS\b/)).toEqual([]);
});

test('pages mark a sandbox with one component', () => {
  const badges = placesOf(/^\s*Sandbox$|>Sandbox</).map((place) => place.split(':')[0]);
  expect(badges).toEqual(['src/web/ui/sandbox-badge.tsx']);
});
