import { expect, test } from 'vitest';
import { billedFor } from './payment-words.ts';

test('labels the empty first bill of a trial as its start', () => {
  expect(billedFor({ billing_reason: 'subscription_create', subtotal: 0 })).toBe('Start');
  expect(billedFor({ billing_reason: 'subscription_create', subtotal: 4900 })).toBe('First bill');
  expect(billedFor({ billing_reason: 'subscription_cycle', subtotal: 0 })).toBe('Renewal');
  expect(billedFor({ billing_reason: null, subtotal: 4900 })).toBe('Bill');
});
