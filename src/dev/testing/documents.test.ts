import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from '#web/docs/markdown/read-markdown.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file));

const tree = ['src', 'e2e', 'prisma', 'public', '.github'].flatMap(filesIn);
const documents = ['README.md', ...tree.filter((file) => file.endsWith('.md') && !file.includes('node_modules'))];
const decisions = documents.filter((file) => file.startsWith('src/docs/decisions/'));
/** Guides for app developers name files of the reader's own project. */
const ofThisTree = documents.filter((file) => file === 'README.md' || /^(src\/docs\/(?!api\/)|\.github\/)/.test(file));

const withoutFences = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '');
const anchorsIn = (file: string) => readMarkdown(read(file).replace(/^---\n[\s\S]*?\n---\n/, '')).sections;
const codeIn = (text: string) => [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

const settings = new Set(
  ['.env.example', ...tree.filter((file) => /\.(ts|tsx|mjs|md)$/.test(file) && !documents.includes(file))]
    .filter((file) => !file.includes('generated'))
    .flatMap((file) => read(file).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []),
);

describe.each(documents)('%s', (file) => {
  const text = read(file);

  it('links to files and headings that exist', () => {
    const links = [...withoutFences(text).matchAll(/\]\((?!\/|\w+:|\{\{)([^)#\s]*)(?:#([\w-]+))?\)/g)];
    const broken = links.filter(([, target = '', anchor]) => {
      const place = target ? path.join(path.dirname(file), target) : file;
      if (!existsSync(path.join(root, place))) return true;
      return anchor && place.endsWith('.md') && !anchorsIn(place).some((section) => section.anchor === anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

describe.each(ofThisTree)('%s', (file) => {
  const text = read(file);
  const code = codeIn(text);

  it('names paths that exist', () => {
    const places = code.filter((words) => /^(src|e2e|prisma|public|\.github)\/[\w./[\]()-]*$/.test(words));
    expect(places.filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
  });

  it('names commands and settings that exist', () => {
    const commands = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name!);
    expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
    const named = code.flatMap((words) => words.match(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?==|$)/) ?? []);
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
  });
});

describe('the documents', () => {
  it('have a README of at most 6 kB', () => {
    expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(6_000);
  });

  it("name existing paths in the README's map", () => {
    const drawn = [...read('README.md').matchAll(/^((?:src|e2e|prisma)\/[\w./-]*) {2,}/gm)].map(([, place]) => place!);
    expect(drawn.length).toBeGreaterThanOrEqual(8);
    expect(drawn.filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
  });

  it('quote the example test exactly as in its file', () => {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(read('src/docs/testing.md'))!;
    expect(example).toBe(read('src/server/scheduling/booking/example.prove.db.test.ts'));
  });

  it('record 15 to 25 decisions, each at most 40 lines with a number of its own', () => {
    expect(decisions.length).toBeGreaterThanOrEqual(15);
    expect(decisions.length).toBeLessThanOrEqual(25);
    for (const file of decisions) {
      const number = path.basename(file).slice(0, 4);
      expect(read(file), file).toMatch(
        new RegExp(`^# ${number}\\. .*\\n[\\s\\S]*^## Context$[\\s\\S]*^## Decision$[\\s\\S]*^## Consequences$`, 'm'),
      );
      expect(read(file).trimEnd().split('\n').length, file).toBeLessThanOrEqual(40);
    }
  });
});
