import { expect, test } from 'vitest';
import { withCount } from './title-count.ts';

test.each([
  ['Today · Carelane', 1, '(1) Today · Carelane'],
  ['(1) Today · Carelane', 2, '(2) Today · Carelane'],
  ['(12) Today · Carelane', 0, 'Today · Carelane'],
  ['Today · Carelane', 0, 'Today · Carelane'],
  ['Today (2) · Carelane', 1, '(1) Today (2) · Carelane'],
])('"%s" with %i waiting is "%s"', (title, count, expected) => {
  expect(withCount(title, count)).toBe(expected);
});
