import { expect, test } from 'vitest';
import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { changesOf, inputOf, mustConfirm, receiverValues, valuesOf } from './receiver-values.ts';

const receiver = {
  url: 'https://hooks.example.test/a',
  description: 'Ours',
  event_types: ['patient'],
  payload: 'snapshot',
  chaos: { duplicates: 1, reorder: true },
} as unknown as WebhookEndpointView;
const sandbox = { isSandbox: true };

test('requires confirmation when health data is sent or its target changes, but not for a new description', () => {
  const values = valuesOf(receiver);
  expect(receiverValues(receiver).safeParse({ ...values, description: 'Theirs' }).success).toBe(true);
  expect(mustConfirm({ ...values, url: ' https://HOOKS.example.test/a ' }, receiver)).toBe(false);
  const elsewhere = { ...values, url: 'https://elsewhere.example.test/' };
  expect(receiverValues(receiver).safeParse(elsewhere).success).toBe(false);
  expect(receiverValues(receiver).safeParse({ ...elsewhere, health_data_confirmed: true }).success).toBe(true);
  expect(receiverValues(null).safeParse({ ...values }).success).toBe(false);
  expect(receiverValues({ ...receiver, payload: 'thin' }).safeParse(values).success).toBe(false);
});

test('sends only what was changed', () => {
  const values = valuesOf(receiver);
  expect(changesOf(values, receiver, sandbox)).toEqual({});
  expect(changesOf({ ...values, description: 'Theirs' }, receiver, sandbox)).toEqual({ description: 'Theirs' });
  const quiet = { duplicates: '0', delay_ms: '0', fail_first: '0', reorder: false };
  expect(changesOf({ ...values, chaos: quiet }, receiver, sandbox)).toEqual({ chaos: null });
});

test('sends no fault settings outside a sandbox', () => {
  expect(inputOf(valuesOf(null), { isSandbox: false })).not.toHaveProperty('chaos');
  expect(inputOf(valuesOf(receiver), sandbox).chaos).toEqual({
    duplicates: 1,
    delay_ms: 0,
    fail_first: 0,
    reorder: true,
  });
});
