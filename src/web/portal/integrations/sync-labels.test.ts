import { expect, test } from 'vitest';
import { boundLabel, repairLabel } from './sync-labels.ts';

test.each([
  ['status:canceled', 'A subscription was brought up to date: it has ended'],
  ['status:past_due', 'A subscription was brought up to date: a payment is due'],
  ['details', 'The details of a subscription were brought up to date'],
  ['adopted', 'A subscription that was made at Stripe was taken in'],
  ['customer_deleted', 'A customer was deleted at Stripe'],
])('describes the repair %s in words', (what, words) => {
  expect(repairLabel({ what })).toBe(words);
});

test('shows a bound of two minutes or more in minutes', () => {
  expect(boundLabel({ bound_seconds: 900 })).toBe('15 minutes');
  expect(boundLabel({ bound_seconds: 60 })).toBe('60 seconds');
});
