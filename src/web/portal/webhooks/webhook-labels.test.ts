import { expect, test } from 'vitest';
import type { EventDeliveryView, WebhookEndpointView } from '#contract/webhooks.ts';
import {
  healthLabel,
  lastAttemptMessage,
  nextAttemptMessage,
  problemMessage,
  receiverName,
  stateLabel,
  subscribedEventsLabel,
} from './webhook-labels.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const delivery = (more: Partial<EventDeliveryView>): EventDeliveryView => ({
  id: 'd',
  endpoint_id: 'e',
  endpoint_url: 'https://hooks.example.test/',
  kind: 'live',
  state: 'waiting',
  attempts: 0,
  next_try_at: null,
  last_status: null,
  last_error: null,
  created_at: '2026-11-22T11:00:00Z',
  ...more,
});
const receiver = (more: Partial<WebhookEndpointView>) =>
  ({ status: 'ok', off_because: null, failing_since: null, ...more }) as WebhookEndpointView;

test('uses the labels of the Events page for the events of a receiver', () => {
  expect(subscribedEventsLabel(['*'])).toBe('Everything');
  expect(subscribedEventsLabel(['patient', 'subscription.payment_failed'])).toBe(
    'Patients, Subscription payment failed',
  );
  // An event type that this page does not know yet.
  expect(subscribedEventsLabel(['spaceship'])).toBe('spaceship');
});

test('names a receiver by its description, or by its host', () => {
  expect(receiverName({ url: 'https://hooks.example.test/a', description: '' })).toBe('hooks.example.test');
  expect(receiverName({ url: 'https://hooks.example.test/a', description: 'Warehouse' })).toBe('Warehouse');
});

test('describes the next attempt', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  expect(nextAttemptMessage(delivery({ next_try_at: at(0) }), NOW)).toBe('The first try is in a moment.');
  expect(nextAttemptMessage(delivery({ attempts: 3, next_try_at: at(300_000) }), NOW)).toBe(
    'The next try is in 5 minutes.',
  );
  expect(nextAttemptMessage(delivery({ attempts: 3, next_try_at: at(-120_000) }), NOW)).toBe(
    'The next try is in a moment.',
  );
  expect(nextAttemptMessage(delivery({ state: 'parked', attempts: 10 }), NOW)).toContain('after 10 tries');
  expect(nextAttemptMessage(delivery({ state: 'parked', kind: 'test', attempts: 1 }), NOW)).toContain(
    'a test is tried once',
  );
});

test('has a message for every state and for what comes next', () => {
  for (const state of ['waiting', 'sending', 'held', 'delivered', 'parked', 'recovered'] as const)
    for (const attempts of [0, 1]) {
      const sample = delivery({ state, attempts });
      expect(stateLabel(sample)[0]).toMatch(/^[A-Z]/);
      expect(nextAttemptMessage(sample, NOW)).toMatch(/^[A-Z].*\.$/);
      expect(lastAttemptMessage(sample)).toMatch(/^[A-Z].*\.$/);
    }
  expect(lastAttemptMessage(delivery({ attempts: 1, last_error: 'it answered 500', last_status: 500 }))).toBe(
    'It answered 500.',
  );
});

test('reports only problems of a receiver', () => {
  expect(problemMessage(receiver({}))).toBeNull();
  expect(problemMessage(receiver({ status: 'off' }))).toContain('It was switched off by hand');
  expect(problemMessage(receiver({ status: 'off', off_because: 'gone' }))).toContain('410');
  expect(problemMessage(receiver({ status: 'off', off_because: 'failing' }))).toContain('five days');
  for (const off_because of ['application_revoked', 'scope_removed'] as const)
    expect(problemMessage(receiver({ status: 'off', off_because }))).toContain(
      'application that this receiver belongs to',
    );
  expect(problemMessage(receiver({ status: 'failing', failing_since: '2026-11-22T11:00:00Z' }))).toContain('last try');
  expect(problemMessage(receiver({ status: 'failing' }))).toContain('given up');
});

test('summarizes the deliveries next to the chart', () => {
  expect(healthLabel(undefined)).toBe('Nothing was sent');
  expect(healthLabel({ delivered: 12_345, failed: 1 })).toBe('12,345 arrived, 1 failed');
});
