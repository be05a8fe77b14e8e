import { expect, test } from 'vitest';
import { createAskedAgain } from './asked-again.ts';

const chart = { type: 'query', path: 'patients.get', input: { id: '1' } };

test('what a page asks first is somebody’s doing, what it asks again its own', () => {
  const asked = createAskedAgain();
  expect(asked.isAgain('/patients/1', chart)).toBe(false);
  expect(asked.isAgain('/patients/1', chart)).toBe(true);
  expect(asked.isAgain('/patients/1', { ...chart, input: { id: '2' } })).toBe(false);
});

test('whoever comes back to a page opens it again, also from one that asks nothing', () => {
  const asked = createAskedAgain();
  asked.isAgain('/patients/1', chart);
  asked.turnTo('/settings/account');
  expect(asked.isAgain('/patients/1', chart)).toBe(false);
  asked.turnTo('/patients/1');
  expect(asked.isAgain('/patients/1', chart)).toBe(true);
});

test('a change is never asked again by itself', () => {
  const asked = createAskedAgain();
  const change = { ...chart, type: 'mutation' };
  asked.isAgain('/', change);
  expect(asked.isAgain('/', change)).toBe(false);
});
