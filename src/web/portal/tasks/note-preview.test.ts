import { expect, test } from 'vitest';
import { notePreview } from './note-preview.ts';

test('a short note of one line is shown whole', () => {
  expect(notePreview('Ask about the new dose.')).toBeNull();
  expect(notePreview('x'.repeat(140))).toBeNull();
});

test('a long note is cut at a word, and lines become one', () => {
  expect(notePreview('First line\nSecond line')).toBe('First line Second line');
  const preview = notePreview('word '.repeat(100))!;
  expect(preview).toMatch(/^(word )+word…$/);
  expect(preview.length).toBeLessThanOrEqual(141);
  expect(notePreview('x'.repeat(300))).toBe(`${'x'.repeat(140)}…`);
});
