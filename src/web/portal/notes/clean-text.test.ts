import { expect, test } from 'vitest';
import { CreateNoteInput } from '#contract/notes.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { cleanText, draftOfText, TOO_LONG } from './clean-text.ts';

test.each([
  ['a\r\nb\rc\nd', 'a\nb\nc\nd'],
  ['a\u000bb\u000cc\u0085d\u2028e\u2029f', 'a\nb\nc\nd\ne\nf'],
  ['Dose:\t5\u00a0mg', 'Dose:\t5\u00a0mg'],
  ['a\u0000b\u0007c\u001bd\u007fe\u009ff', 'abcdef'],
  ['\ud83d\ude00 \ud83d a \ude00', '\ud83d\ude00  a '],
  ['  <b>"x" & y</b>  ', '  <b>"x" & y</b>  '],
])('cleans %j', (text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned);
});

test('the server takes each cleaned character as it is', () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join('');
  const text = cleanText(`x${all}x`);
  const parsed = CreateNoteInput.shape.text.safeParse(text.slice(0, 9_000));
  expect(parsed.success && parsed.data).toBe(text.slice(0, 9_000));
});

test('does not store a draft that is longer than a note', () => {
  const longest = 'a'.repeat(10_000);
  expect(draftOfText(`${longest.slice(1)} `)).toBe(`${longest.slice(1)} `);
  expect(draftOfText(`${longest}\n`)).toBe(longest);
  expect(() => draftOfText(`${longest}a`)).toThrow(
    expect.toSatisfy((error) => readApiErrors(error)[0].code === TOO_LONG),
  );
});
