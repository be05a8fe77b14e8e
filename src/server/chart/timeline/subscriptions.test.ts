import { expect, test } from 'vitest';
import type { TimelineChange } from './section.ts';
import { subscriptionsSection } from './subscriptions.ts';

const describeUpdate = (details: Record<string, unknown>) => {
  const text = subscriptionsSection.texts['subscriptions.update'];
  return typeof text === 'function' ? text({ details } as TimelineChange) : text;
};

test('describes changes of a subscription for staff users', () => {
  expect(describeUpdate({ price_ids: ['price_1'] })).toMatchObject({ title: 'The plan was changed' });
  expect(describeUpdate({ resumed: true, changed: ['status', 'latestInvoice'] })).toBe('A paused subscription went on');
  expect(describeUpdate({ replaced_by: 'sub_2' })).toBe(
    'A promotion code was redeemed: another subscription took its place',
  );
  expect(describeUpdate({ promotion_code: 'WELCOME20', changed: ['discount'] })).toBe('A promotion code was redeemed');
  expect(describeUpdate({ changed: ['paymentMethod'] })).toBe('Bills are now paid with another card');
});

test('names amounts and plans when the audit log or the events contain them', () => {
  const lineFor = (event: keyof typeof subscriptionsSection.texts, rest: Partial<TimelineChange> = {}) => {
    const text = subscriptionsSection.texts[event];
    return typeof text === 'function' ? text({ action: '', event, details: {}, ...rest }) : text;
  };
  const of = { amount: 4900, currency: 'usd' };
  expect(lineFor('subscription.payment_succeeded', { details: of })).toBe('Paid $49.00');
  const shown = { currency: 'jpy', payment: { amount_paid: 4900, currency: 'jpy' } };
  expect(lineFor('subscription.payment_succeeded', { shown })).toBe('Paid ¥4,900');
  expect(lineFor('subscription.payment_succeeded')).toBe('A payment arrived');
  expect(lineFor('subscription.refunded', { details: { ...of, amount: 1050 } })).toBe('Refunded $10.50');
  expect(lineFor('payments.refund', { details: { amount: 1050 } })).toBe('A payment was refunded');
  expect(lineFor('subscription.payment_failed', { details: { ...of, attempt: 2 } })).toMatchObject({
    title: 'A payment of $49.00 was tried again and failed',
  });
  expect(lineFor('subscription.disputed', { details: of })).toBe('A payment of $49.00 was disputed');

  const [before, after] = [
    { name: 'Essential care', plan_price: 4900, currency: 'usd', billing_period: 'month', billing_interval: 1 },
    { name: 'Family care', plan_price: 9900, currency: 'usd', billing_period: 'month', billing_interval: 3 },
  ];
  const details = { price_ids: ['price_2'] };
  expect(lineFor('subscriptions.update', { details, shown: after, before })).toEqual({
    title: 'Changed from Essential care to Family care',
    note: 'From $49.00 a month to $99.00 every 3 months',
  });
  expect(lineFor('subscriptions.update', { details, shown: after })).toMatchObject({
    title: 'Changed to Family care',
  });
  expect(lineFor('subscription.updated', { details: { changed: ['items'] }, shown: before, before })).toMatchObject({
    title: 'The plan was changed',
  });
});
