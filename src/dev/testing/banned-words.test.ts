import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import list from '../checks/banned-words.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '../../..');
const TEXT = /\.(tsx?|mts|mjs|js|css|md|sql|prisma|ya?ml)$/;
/** A migration that has been applied somewhere is not edited. */
const NOT_CHECKED = /^prisma\/migrations\/|(^|\/)generated\/|^src\/dev\/testing\/banned-words\.test\.ts$/;
/** Exempts the next line: a vendor's own text, or test data. */
const EXEMPT = /banned-words-ignore: \S/;
const WORDS: Record<string, string> = list.words;
const BANNED = new RegExp(`\\b(${Object.keys(WORDS).join('|')})\\b`, 'gi');

/** @returns each banned word in a text, with its line and the words to use in its place */
function bannedIn(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) =>
    EXEMPT.test(lines[index - 1] ?? '')
      ? []
      : [...line.matchAll(BANNED)].map(
          ([found]) => `${file}:${index + 1}: "${found}"; write: ${WORDS[found.toLowerCase()]}`,
        ),
  );
}

describe('banned words', () => {
  it('occur in no file of the project', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
      .split('\0')
      .filter((file) => TEXT.test(file) && !NOT_CHECKED.test(file) && existsSync(path.join(root, file)));
    expect(files.length).toBeGreaterThan(1000);
    expect(files.flatMap((file) => bannedIn(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  });

  it('are found in any case, with the line and the words to use, unless the line before exempts them', () => {
    expect(bannedIn('a.ts', '// one\n// Whoever reads\n')).toEqual([
      'a.ts:2: "Whoever"; write: the caller, the client, the patient, the staff user',
    ]);
    expect(bannedIn('a.ts', "// banned-words-ignore: Stripe's text\nconst text = 'whoever';\n")).toEqual([]);
    expect(bannedIn('a.ts', '// nobodyish, thenceforth\n')).toEqual([]);
  });
});
