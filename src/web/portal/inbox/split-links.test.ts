import { expect, test } from 'vitest';
import { splitLinks } from './split-links.ts';

test('separates a URL from the sentence around it', () => {
  expect(splitLinks('Pay at https://clinic.example.test/checkout?a=1. Thank you!')).toEqual([
    { part: 'Pay at ', at: 0, isLink: false },
    { part: 'https://clinic.example.test/checkout?a=1', at: 7, isLink: true },
    { part: '. Thank you!', at: 47, isLink: false },
  ]);
});

test('turns only web URLs into links', () => {
  const parts = splitLinks('javascript:alert(1) mailto:ada@example.test data:text/html,x');
  expect(parts.map(({ isLink }) => isLink)).toEqual([false]);
});

test('returns one part for text without URLs, and none for empty text', () => {
  expect(splitLinks('123456 is your code.')).toHaveLength(1);
  expect(splitLinks('')).toEqual([]);
});
