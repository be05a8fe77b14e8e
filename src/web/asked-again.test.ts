import { expect, test } from 'vitest';
import { createAskedAgain } from './asked-again.ts';

const chart = { type: 'query', path: 'patients.get', input: { id: '1' } };

test('distinguishes the first query of a page from a repetition', () => {
  const asked = createAskedAgain();
  expect(asked.isAgain('/patients/1', chart)).toBe(false);
  expect(asked.isAgain('/patients/1', chart)).toBe(true);
  expect(asked.isAgain('/patients/1', { ...chart, input: { id: '2' } })).toBe(false);
});

test('treats the queries of a page as first ones after a navigation', () => {
  const asked = createAskedAgain();
  asked.isAgain('/patients/1', chart);
  asked.turnTo('/settings/account');
  expect(asked.isAgain('/patients/1', chart)).toBe(false);
  asked.turnTo('/patients/1');
  expect(asked.isAgain('/patients/1', chart)).toBe(true);
});

test('never treats a mutation as a repetition', () => {
  const asked = createAskedAgain();
  const change = { ...chart, type: 'mutation' };
  asked.isAgain('/', change);
  expect(asked.isAgain('/', change)).toBe(false);
});
