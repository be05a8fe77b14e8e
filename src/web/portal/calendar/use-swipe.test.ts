import { expect, test } from 'vitest';
import { swipeOf } from './use-swipe.ts';

test('recognizes a horizontal swipe, but neither scrolling nor a small movement', () => {
  expect(swipeOf(-120, 10)).toBe('left');
  expect(swipeOf(90, -30)).toBe('right');
  expect(swipeOf(-120, 100)).toBeNull();
  expect(swipeOf(30, 0)).toBeNull();
});
