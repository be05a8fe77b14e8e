import { expect, test } from 'vitest';
import { cancelFirstMessage, careCountLabel, endCareLabel, endedMessage, planLabel } from './care-labels.ts';

test.each([
  [
    { appointments: 2, subscriptions: 1 },
    '2 appointments and 1 subscription',
    'Cancel 2 appointments and end 1 subscription now',
  ],
  [{ appointments: 1, subscriptions: 0 }, '1 appointment', 'Cancel 1 appointment now'],
  [{ appointments: 0, subscriptions: 3 }, '3 subscriptions', 'End 3 subscriptions now'],
])('asks for consent to %o', (counts, label, consent) => {
  expect(careCountLabel(counts)).toBe(label);
  expect(endCareLabel(counts)).toBe(consent);
});

test('says who has to end subscriptions first', () => {
  expect(cancelFirstMessage({ appointments: 2, subscriptions: 0 })).toBeNull();
  expect(cancelFirstMessage({ appointments: 2, subscriptions: 1 })).toBe(
    'This patient still has 1 subscription. A colleague who may cancel subscriptions has to end it first; then you can archive the patient.',
  );
  expect(cancelFirstMessage({ appointments: 0, subscriptions: 3 })).toMatch(/has 3 subscriptions\. .* end them first/);
});

test.each([
  [{ appointments: 2, subscriptions: 1 }, '2 appointments were canceled and 1 subscription was ended.'],
  [{ appointments: 1, subscriptions: 0 }, '1 appointment was canceled.'],
  [{ appointments: 0, subscriptions: 0 }, ''],
])('reports that %o ended', (counts, message) => {
  expect(endedMessage(counts)).toBe(message);
});

test('describes a subscription by plan and price, and a pending one as pending', () => {
  const plan = { id: 'sub_1', status: 'active', name: 'Essential care', plan_price: 4900, currency: 'usd' };
  const billed = { billing_period: 'month', billing_interval: 1 };
  expect(planLabel({ ...plan, ...billed })).toBe('Essential care, $49.00 per month');
  const pending = {
    ...plan,
    name: null,
    plan_price: null,
    currency: null,
    billing_period: null,
    billing_interval: null,
  };
  expect(planLabel(pending)).toBe('A subscription that is just being made');
});
