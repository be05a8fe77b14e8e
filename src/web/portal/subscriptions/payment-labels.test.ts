import { expect, test } from 'vitest';
import { billLabel } from './payment-labels.ts';

test('labels the empty first bill of a trial as its start', () => {
  expect(billLabel({ billing_reason: 'subscription_create', subtotal: 0 })).toBe('Start');
  expect(billLabel({ billing_reason: 'subscription_create', subtotal: 4900 })).toBe('First bill');
  expect(billLabel({ billing_reason: 'subscription_cycle', subtotal: 0 })).toBe('Renewal');
  expect(billLabel({ billing_reason: null, subtotal: 4900 })).toBe('Bill');
});
