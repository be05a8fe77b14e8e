import { expect, test } from 'vitest';
import { foldOf } from './text-fold.ts';

test('a text of twelve lines or nine hundred characters is shown whole', () => {
  expect(foldOf('')).toBeNull();
  expect(foldOf(Array(12).fill('line').join('\n'))).toBeNull();
  expect(foldOf('x'.repeat(900))).toBeNull();
});

test('a text of many lines is folded at the end of a line', () => {
  const text = Array.from({ length: 13 }, (_, index) => `line ${index + 1}`).join('\n');
  expect(text.slice(0, foldOf(text)!)).toMatch(/line 9$/);
});

test('a long text is folded at the end of a word, and a very long word within it', () => {
  const text = 'word '.repeat(200);
  expect(text.slice(0, foldOf(text)!)).toMatch(/^(word )+word$/);
  expect(foldOf(text)).toBeLessThanOrEqual(700);
  expect(foldOf('x'.repeat(1000))).toBe(700);
  expect(foldOf(`x${'😀'.repeat(600)}`)).toBe(699);
});
