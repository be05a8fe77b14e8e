import { expect, test } from 'vitest';
import { roomLabel } from './long-text.tsx';

test.each<[length: number, limit: number, label: string | null]>([
  [0, 500, null],
  [400, 500, null],
  [401, 500, '99 characters left'],
  [9_500, 10_000, null],
  [9_999, 10_000, '1 character left'],
  [10_000, 10_000, '0 characters left'],
  [10_001, 10_000, '1 character too many'],
  [12_500, 10_000, '2,500 characters too many'],
])('a text of %i characters with a limit of %i: %s', (length, limit, label) => {
  expect(roomLabel('a'.repeat(length), limit)).toBe(label);
});

test('does not count spaces around the text', () => {
  expect(roomLabel(`  ${'a'.repeat(500)}\n`, 500)).toBe('0 characters left');
});
