import { expect, test } from 'vitest';
import { unmatchedLabel } from './unmatched-notice.tsx';

test('counts the bookings to match', () => {
  expect(unmatchedLabel({ count: 1 })).toBe('One booking to match');
  expect(unmatchedLabel({ count: 3, capped: false })).toBe('3 bookings to match');
  expect(unmatchedLabel({ count: 10_000, capped: true })).toBe('More than 10000 bookings to match');
});
