import { expect, test } from 'vitest';
import type { TimelineChange } from './section.ts';
import { subscriptionsSection } from './subscriptions.ts';

const told = (details: Record<string, unknown>) => {
  const tell = subscriptionsSection.texts['subscriptions.update'];
  return typeof tell === 'function' ? tell({ details } as TimelineChange) : tell;
};

test('describes changes of a subscription for staff users', () => {
  expect(told({ price_ids: ['price_1'] })).toMatchObject({ title: 'The plan was changed' });
  expect(told({ resumed: true, changed: ['status', 'latestInvoice'] })).toBe('A paused subscription went on');
  expect(told({ replaced_by: 'sub_2' })).toBe('A promotion code was redeemed: another subscription took its place');
  expect(told({ promotion_code: 'WELCOME20', changed: ['discount'] })).toBe('A promotion code was redeemed');
  expect(told({ changed: ['paymentMethod'] })).toBe('Bills are paid with another card');
});

test('names amounts and plans when the audit log or the events contain them', () => {
  const say = (event: string, rest: Partial<TimelineChange> = {}) => {
    const words = subscriptionsSection.texts[event];
    return typeof words === 'function' ? words({ action: '', event, details: {}, ...rest }) : words;
  };
  const of = { amount: 4900, currency: 'usd' };
  expect(say('subscription.payment_succeeded', { details: of })).toBe('Paid $49.00');
  const shown = { currency: 'jpy', payment: { amount_paid: 4900, currency: 'jpy' } };
  expect(say('subscription.payment_succeeded', { shown })).toBe('Paid ¥4,900');
  expect(say('subscription.payment_succeeded')).toBe('A payment arrived');
  expect(say('subscription.refunded', { details: { ...of, amount: 1050 } })).toBe('Refunded $10.50');
  expect(say('payments.refund', { details: { amount: 1050 } })).toBe('A payment was refunded');
  expect(say('subscription.payment_failed', { details: { ...of, attempt: 2 } })).toMatchObject({
    title: 'A payment of $49.00 was tried again and failed',
  });
  expect(say('subscription.disputed', { details: of })).toBe('A payment of $49.00 was disputed');

  const [before, after] = [
    { name: 'Essential care', plan_price: 4900, currency: 'usd', billing_period: 'month', billing_interval: 1 },
    { name: 'Family care', plan_price: 9900, currency: 'usd', billing_period: 'month', billing_interval: 3 },
  ];
  const details = { price_ids: ['price_2'] };
  expect(say('subscriptions.update', { details, shown: after, before })).toEqual({
    title: 'Changed from Essential care to Family care',
    note: 'From $49.00 a month to $99.00 every 3 months',
  });
  expect(say('subscriptions.update', { details, shown: after })).toMatchObject({ title: 'Changed to Family care' });
  expect(say('subscription.updated', { details: { changed: ['items'] }, shown: before, before })).toMatchObject({
    title: 'The plan was changed',
  });
});
