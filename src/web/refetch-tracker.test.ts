import { expect, test } from 'vitest';
import { createRefetchTracker } from './refetch-tracker.ts';

const chart = { type: 'query', path: 'patients.get', input: { id: '1' } };

test('distinguishes the first query of a page from a repetition', () => {
  const asked = createRefetchTracker();
  expect(asked.isRefetch('/patients/1', chart)).toBe(false);
  expect(asked.isRefetch('/patients/1', chart)).toBe(true);
  expect(asked.isRefetch('/patients/1', { ...chart, input: { id: '2' } })).toBe(false);
});

test('treats the queries of a page as first ones after a navigation', () => {
  const asked = createRefetchTracker();
  asked.isRefetch('/patients/1', chart);
  asked.turnTo('/settings/account');
  expect(asked.isRefetch('/patients/1', chart)).toBe(false);
  asked.turnTo('/patients/1');
  expect(asked.isRefetch('/patients/1', chart)).toBe(true);
});

test('never treats a mutation as a repetition', () => {
  const asked = createRefetchTracker();
  const change = { ...chart, type: 'mutation' };
  asked.isRefetch('/', change);
  expect(asked.isRefetch('/', change)).toBe(false);
});
