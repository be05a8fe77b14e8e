import { expect, test } from 'vitest';
import { swipeOf } from './use-swipe.ts';

test('a finger drawn sideways turns the page, one that scrolls or trembles does not', () => {
  expect(swipeOf(-120, 10)).toBe('left');
  expect(swipeOf(90, -30)).toBe('right');
  expect(swipeOf(-120, 100)).toBeNull();
  expect(swipeOf(30, 0)).toBeNull();
});
