import { expect, test } from 'vitest';
import { filterOf, viewOf } from './views.ts';

test('shows upcoming appointments first unless the URL names another view', () => {
  expect(viewOf('', '')).toBe('upcoming');
  expect(viewOf('nonsense', '')).toBe('upcoming');
  expect(viewOf('past', 'no_show')).toBe('past');
  expect(viewOf('', 'canceled')).toBe('all');
});

test('filters a view by the chosen statuses that it supports', () => {
  expect(filterOf('upcoming', ['canceled'])).toEqual({ period: 'upcoming', sort_by: 'from_date' });
  expect(filterOf('past', ['no_show', 'canceled'])).toEqual({ period: 'past', status: ['no_show'] });
  expect(filterOf('all', ['no_show', 'canceled'])).toMatchObject({ status: ['no_show', 'canceled'] });
  expect(filterOf('all', [])).toMatchObject({ status: ['scheduled', 'canceled', 'no_show'] });
});
