import { expect, test } from 'vitest';
import type { CheckoutView } from '#contract/subscriptions.ts';
import { describeTerms } from './terms.ts';

const checkout: CheckoutView = {
  clinic: 'Example Clinic',
  name: 'Basic care',
  amount_due: 4900,
  currency: 'usd',
  plan_price: 4900,
  billing_period: 'month',
  billing_interval: 1,
  trial_end: null,
  next_action: 'payment',
  client_secret: null,
  payment_client: { publishable_key: 'pk_test_example', account_id: 'acct_example' },
  status: 'incomplete',
};

test('a payment says what is due now and what comes after', () => {
  expect(describeTerms(checkout, 'UTC')).toEqual({
    dueNow: '$49.00',
    after: 'Then $49.00 per month, until you or your clinic cancel.',
  });
});

test('a trial has nothing due and says until when it is free', () => {
  const trial = { ...checkout, amount_due: 0, next_action: 'setup', trial_end: '2026-12-04T14:00:00Z' } as const;
  expect(describeTerms(trial, 'UTC')).toEqual({
    dueNow: '$0.00',
    after: 'Your trial is free until Dec 4, 2026, then $49.00 per month.',
  });
});
