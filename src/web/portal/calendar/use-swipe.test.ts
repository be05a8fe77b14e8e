import { expect, test } from 'vitest';
import { swipeDirection } from './use-swipe.ts';

test('recognizes a horizontal swipe, but neither scrolling nor a small movement', () => {
  expect(swipeDirection(-120, 10)).toBe('left');
  expect(swipeDirection(90, -30)).toBe('right');
  expect(swipeDirection(-120, 100)).toBeNull();
  expect(swipeDirection(30, 0)).toBeNull();
});
