import { expect, test } from 'vitest';
import type { EventDeliveryView, WebhookEndpointView } from '#contract/webhooks.ts';
import { chosenWords, healthWords, lastWords, nameOfReceiver, nextWords, stateOf, troubleWords } from './words.ts';

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
  expect(chosenWords(['*'])).toBe('Everything');
  expect(chosenWords(['patient', 'subscription.payment_failed'])).toBe('Patients, Subscription payment failed');
  // An event type that this page does not know yet.
  expect(chosenWords(['spaceship'])).toBe('spaceship');
});

test('names a receiver by its description, or by its host', () => {
  expect(nameOfReceiver({ url: 'https://hooks.example.test/a', description: '' })).toBe('hooks.example.test');
  expect(nameOfReceiver({ url: 'https://hooks.example.test/a', description: 'Warehouse' })).toBe('Warehouse');
});

test('describes the next attempt', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  expect(nextWords(delivery({ next_try_at: at(0) }), NOW)).toBe('The first try is in a moment.');
  expect(nextWords(delivery({ attempts: 3, next_try_at: at(300_000) }), NOW)).toBe('The next try is in 5 minutes.');
  expect(nextWords(delivery({ attempts: 3, next_try_at: at(-120_000) }), NOW)).toBe('The next try is in a moment.');
  expect(nextWords(delivery({ state: 'parked', attempts: 10 }), NOW)).toContain('after 10 tries');
  expect(nextWords(delivery({ state: 'parked', kind: 'test', attempts: 1 }), NOW)).toContain('a test is tried once');
});

test('has a message for every state and for what comes next', () => {
  for (const state of ['waiting', 'sending', 'held', 'delivered', 'parked', 'recovered'] as const)
    for (const attempts of [0, 1]) {
      const one = delivery({ state, attempts });
      expect(stateOf(one)[0]).toMatch(/^[A-Z]/);
      expect(nextWords(one, NOW)).toMatch(/^[A-Z].*\.$/);
      expect(lastWords(one)).toMatch(/^[A-Z].*\.$/);
    }
  expect(lastWords(delivery({ attempts: 1, last_error: 'it answered 500', last_status: 500 }))).toBe(
    'It answered 500.',
  );
});

test('reports only problems of a receiver', () => {
  expect(troubleWords(receiver({}))).toBeNull();
  expect(troubleWords(receiver({ status: 'off' }))).toContain('It was switched off by hand');
  expect(troubleWords(receiver({ status: 'off', off_because: 'gone' }))).toContain('410');
  expect(troubleWords(receiver({ status: 'off', off_because: 'failing' }))).toContain('five days');
  for (const off_because of ['application_revoked', 'scope_removed'] as const)
    expect(troubleWords(receiver({ status: 'off', off_because }))).toContain(
      'application that this receiver belongs to',
    );
  expect(troubleWords(receiver({ status: 'failing', failing_since: '2026-11-22T11:00:00Z' }))).toContain('last try');
  expect(troubleWords(receiver({ status: 'failing' }))).toContain('given up');
});

test('summarizes the deliveries next to the chart', () => {
  expect(healthWords(undefined)).toBe('Nothing was sent');
  expect(healthWords({ delivered: 12_345, failed: 1 })).toBe('12,345 arrived, 1 failed');
});
