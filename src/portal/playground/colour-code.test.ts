import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { colourCode } from './colour-code.ts';
import { SCREENS } from './screen.ts';

const folder = path.join(import.meta.dirname, 'steps');
const files = readdirSync(folder).filter((file) => !file.endsWith('.test.ts'));
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const shadesOf = (code: string) =>
  colourCode(code).flatMap(({ shade, piece }) => (shade === 'plain' ? [] : [`${shade} ${piece}`]));

describe('the colours of code', () => {
  it('tell comments, texts and the words of the language apart', () => {
    expect(shadesOf("const a = 'if' // for now\nawait b(`x`);")).toEqual([
      'word const',
      "text 'if'",
      'comment // for now',
      'word await',
      'text `x`',
    ]);
    expect(shadesOf('informal = constant.newer')).toEqual([]);
    expect(shadesOf("/** It's `as` said. */")).toEqual(["comment /** It's `as` said. */"]);
    expect(shadesOf("'a \\' b' 'https://example.test'")).toEqual(["text 'a \\' b'", "text 'https://example.test'"]);
  });

  it.each(files)('lose no letter of %s', (file) => {
    const code = textOf(file);
    expect(
      colourCode(code)
        .map(({ piece }) => piece)
        .join(''),
    ).toBe(code);
  });
});

describe('the code beside a step', () => {
  it.each(Object.entries(SCREENS))('of %s is there', (_at, { code }) => {
    expect(code.map((name) => `${name}.ts`).filter((file) => !files.includes(file))).toEqual([]);
  });

  it.each(files.filter((file) => file !== 'api-types.ts'))('%s imports what any app has', (file) => {
    const sources = [...textOf(file).matchAll(/ from '([^']+)'/g)].map(([, source]) => source!);
    expect(sources.filter((source) => !/^(#sdk\/index\.ts|\.\/[\w-]+\.ts|@stripe\/stripe-js)$/.test(source))).toEqual(
      [],
    );
  });
});
