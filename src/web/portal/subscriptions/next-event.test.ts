import { expect, test } from 'vitest';
import type { PaymentView } from '#contract/payments.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { billParts } from './bill-parts.ts';
import { archivedPlanMessage, nextEvent } from './next-event.ts';
import { attentionLabel, cardExpiry, cardLabel } from './subscription.ts';

const END = '2026-12-16T15:04:05.000Z';
const card = { id: 'pm_1', type: 'card', brand: 'visa', last4: '4242', exp_month: 3, exp_year: 2040 };
const subscriptionOf = (status: SubscriptionView['status'], rest: Partial<SubscriptionView> = {}) =>
  ({
    status,
    created_at: '2026-11-16T15:04:05.000Z',
    current_period_start: '2026-11-16T15:04:05.000Z',
    current_period_end: END,
    upcoming_invoice_date: END,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    trial_end: null,
    cancel_at_period_end: false,
    pause_collection: null,
    pause_reason: null,
    payment_method: card,
    ...rest,
  }) as SubscriptionView;

test.each([
  [
    'a subscription that waits for its first payment',
    subscriptionOf('incomplete'),
    'starts once',
    'Without a payment it ends',
    '2026-11-17T14:04:05.000Z',
  ],
  ['a trial with a card', subscriptionOf('trialing', { trial_end: END }), 'charged when it is over', 'First bill', END],
  [
    'a trial without a card',
    subscriptionOf('trialing', { trial_end: END, payment_method: null }),
    'no card is saved',
    'Trial ends',
    END,
  ],
  [
    'a trial without a period after it',
    subscriptionOf('trialing', { trial_end: END, cancel_at: END }),
    'nothing is billed',
    'It ends',
    END,
  ],
  ['a subscription that renews', subscriptionOf('active'), 'renews by itself', 'Next bill', END],
  [
    'a subscription that is to end',
    subscriptionOf('active', { cancel_at: END }),
    'No new period is billed',
    'It ends',
    END,
  ],
  ['a subscription that is unpaid', subscriptionOf('unpaid'), 'not tried again', null, null],
  [
    'a subscription that is paused without a card',
    subscriptionOf('paused', { pause_reason: 'trial_end_without_payment_method', payment_method: null }),
    'once the patient has saved a card',
    null,
    null,
  ],
  [
    'a subscription that is paused on request',
    subscriptionOf('paused', { pause_reason: 'pause_requested' }),
    'it is resumed there',
    null,
    null,
  ],
  ['a subscription that has ended', subscriptionOf('canceled', { ended_at: END }), 'has ended', 'Ended', END],
  [
    'a subscription that was created again with a code',
    subscriptionOf('incomplete_expired', {
      canceled_at: END,
      ended_at: '2026-11-16T15:09:05.000Z',
      replaced_by: 'sub_2',
    }),
    'another subscription took its place',
    'Ended',
    '2026-11-16T15:09:05.000Z',
  ],
  [
    'a subscription at a former account, in any status',
    subscriptionOf('active', { stripe_issue: 'former_account' }),
    'Cancel it, and subscribe the patient again',
    null,
    null,
  ],
  [
    'a subscription whose customer was deleted',
    subscriptionOf('canceled', { ended_at: END, stripe_issue: 'customer_deleted' }),
    'a new subscription makes a new customer',
    'Ended',
    END,
  ],
  [
    'a subscription that was never paid',
    subscriptionOf('incomplete_expired', { ended_at: END }),
    'never paid',
    'Ended',
    END,
  ],
])('%s', (_, subscription, sentence, label, at) => {
  const next = nextEvent(subscription, null);
  expect(next.sentence).toContain(sentence);
  expect([next.label, next.at]).toEqual([label, at]);
});

test('says when a failed bill is tried again, or that the patient has to pay', () => {
  const bill = { next_attempt_at: END, amount_remaining: 4900, currency: 'usd' } as PaymentView;
  const due = { kind: 'open', amount: 4900, currency: 'usd' };
  expect(nextEvent(subscriptionOf('past_due'), bill)).toMatchObject({ label: 'Next try', at: END, due });
  expect(nextEvent(subscriptionOf('past_due'), null)).toMatchObject({
    sentence: expect.stringContaining('has to pay'),
    at: null,
  });
});

test('requests the amount from Stripe where a bill is due, but not for a subscription that ends', () => {
  expect(nextEvent(subscriptionOf('active'), null).due).toEqual({ kind: 'next_bill' });
  expect(nextEvent(subscriptionOf('trialing', { trial_end: END }), null).due).toEqual({ kind: 'next_bill' });
  expect(nextEvent(subscriptionOf('active', { cancel_at: END }), null).due).toBeNull();
});

test('reports payments that are paused at Stripe although the subscription is active', () => {
  const pause_collection = { behavior: 'void' as const, resumes_at: END };
  expect(nextEvent(subscriptionOf('active', { pause_collection }), null)).toMatchObject({
    sentence: expect.stringContaining('nothing is charged'),
    ...{ label: 'Payments go on', at: END, due: null },
  });
  const open = subscriptionOf('active', { pause_collection: { ...pause_collection, resumes_at: null } });
  expect(nextEvent(open, null)).toMatchObject({ sentence: expect.stringContaining('they are resumed'), at: null });
  expect(attentionLabel(open, Date.parse('2027-01-01T00:00:00Z'))).toBe('Payments paused at Stripe');
});

test('reports an archived price while it renews', () => {
  const subscription = subscriptionOf('active', { items: [{ id: 'si_1', price_id: 'price_1', quantity: 1 }] });
  expect(archivedPlanMessage(subscription, null)).toBeNull();
  expect(archivedPlanMessage(subscription, new Set(['price_1']))).toBeNull();
  expect(archivedPlanMessage(subscription, new Set())).toContain('Change the plan');
  expect(archivedPlanMessage({ ...subscription, upcoming_invoice_date: null }, new Set())).toBeNull();
  // Its prices are not those of the connected account.
  expect(archivedPlanMessage({ ...subscription, stripe_issue: 'former_account' }, new Set())).toBeNull();
});

test('lists the parts of a bill that is more than its price', () => {
  const plain = { date: END, amount_due: 4900, subtotal: 4900, discount: 0, tax: 0 };
  expect(billParts(plain, 'usd')).toBeNull();
  expect(billParts({ ...plain, amount_due: 4312, discount: 980, tax: 392 }, 'usd')).toBe(
    '$49.00, less $9.80 discount, with $3.92 tax',
  );
  expect(billParts({ ...plain, amount_due: 4000 }, 'usd')).toBe('$49.00, less $9.00 credit');
});

test('says why a subscription needs attention where its status does not', () => {
  const now = Date.parse('2040-03-20T00:00:00Z');
  expect(attentionLabel(subscriptionOf('active', { cancel_at: null }), now)).toBe('Card runs out soon');
  expect(attentionLabel(subscriptionOf('active'), Date.parse('2040-04-01T00:00:00Z'))).toBe('Card has run out');
  expect(attentionLabel(subscriptionOf('past_due'), now)).toBeNull();
  expect(attentionLabel(subscriptionOf('trialing', { trial_end: END, payment_method: null }), Date.parse(END))).toBe(
    'Trial without a card',
  );
  expect(cardLabel(card)).toBe('Visa, ending in 4242');
  expect(cardExpiry(card)).toBe('03/2040');
  expect(cardLabel({ type: 'sepa_debit', brand: null, last4: null })).toBe('SEPA direct debit');
});
