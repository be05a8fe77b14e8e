import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import list from '../checks/banned-words.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '../../..');
const CODE = /\.(tsx?|mts|mjs|js)$/;
const TEXT = /\.(tsx?|mts|mjs|js|css|md|sql|prisma|ya?ml)$/;
/** A migration that has been applied somewhere is not edited. */
const NOT_CHECKED = /^prisma\/migrations\/|(^|\/)generated\/|^src\/dev\/testing\/banned-words\.test\.ts$/;
/** Exempts the next line: a vendor's own text, or test data. */
const EXEMPT = /banned-words-ignore: \S/;
const WORDS: Record<string, string> = list.words;
const IDENTIFIERS: Record<string, string> = list.identifiers;
const BANNED = new RegExp(`\\b(${Object.keys(WORDS).join('|')})\\b`, 'gi');
/** A word alone, or as one word of a camelCase or snake_case name. */
const BANNED_NAME = new RegExp(
  Object.keys(IDENTIFIERS)
    .flatMap((word) => [`(?<![a-zA-Z])${word}(?![a-z])`, `${word[0]?.toUpperCase()}${word.slice(1)}(?![a-z])`])
    .join('|'),
  'g',
);
/** Names of libraries, of the database and of earlier releases. */
const ALLOWED = new RegExp(list.allowed.join('|'), 'g');

/** @returns each banned word in a text, with its line and the words to use in its place */
function bannedIn(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (EXEMPT.test(lines[index - 1] ?? '')) return [];
    const names = CODE.test(file) ? line.replaceAll(ALLOWED, '').matchAll(BANNED_NAME) : [];
    return [...line.matchAll(BANNED), ...names].map(([match]) => {
      const word = match.toLowerCase();
      return `${file}:${index + 1}: "${match}"; write: ${WORDS[word] ?? IDENTIFIERS[word]}`;
    });
  });
}

describe('banned words', () => {
  it('occur in no file of the project', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
      .split('\0')
      .filter((file) => TEXT.test(file) && !NOT_CHECKED.test(file) && existsSync(path.join(root, file)));
    expect(files.length).toBeGreaterThan(1000);
    expect(files.flatMap((file) => bannedIn(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  });

  it('are found in any case, unless the line before exempts them', () => {
    expect(bannedIn('a.md', 'one\nWhoever reads\n')).toEqual([
      'a.md:2: "Whoever"; write: the caller, the client, the patient, the staff user',
    ]);
    expect(bannedIn('a.ts', "// banned-words-ignore: Stripe's text\nconst text = 'whoever';\n")).toEqual([]);
    expect(bannedIn('a.ts', '// thenceforth, nobodyish\n')).toEqual([]);
  });

  it('are found as parts of names in code, but not in longer words or in names of libraries', () => {
    expect(bannedIn('a.ts', 'createRestDoor(door_of, ear)')).toHaveLength(3);
    expect(bannedIn('a.ts', 'search(year, earlier, planes, improving, DoorOpen)')).toEqual([]);
    expect(bannedIn('a.md', 'the door of the clinic')).toEqual([]);
  });
});
