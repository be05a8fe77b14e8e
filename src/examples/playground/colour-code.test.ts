import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { colourCode } from './colour-code.ts';

const folder = path.join(import.meta.dirname, 'steps');
const files = readdirSync(folder).filter((file) => !file.endsWith('.test.ts'));
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const shadesOf = (code: string) =>
  colourCode(code).flatMap(({ shade, piece }) => (shade === 'plain' ? [] : [`${shade} ${piece}`]));

describe('colourCode()', () => {
  it('distinguishes comments, texts and keywords', () => {
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

  it.each(files)('returns the complete text of %s', (file) => {
    const code = textOf(file);
    expect(
      colourCode(code)
        .map(({ piece }) => piece)
        .join(''),
    ).toBe(code);
  });
});
