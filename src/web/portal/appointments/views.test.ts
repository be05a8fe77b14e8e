import { expect, test } from 'vitest';
import { filterOf, viewOf } from './views.ts';

test('the next visit comes first, unless an address says otherwise', () => {
  expect(viewOf('', '')).toBe('upcoming');
  expect(viewOf('nonsense', '')).toBe('upcoming');
  expect(viewOf('past', 'no_show')).toBe('past');
  expect(viewOf('', 'canceled')).toBe('all');
});

test('a view is kept to the statuses that are chosen, as far as it has them', () => {
  expect(filterOf('upcoming', ['canceled'])).toEqual({ period: 'upcoming', sort_by: 'from_date' });
  expect(filterOf('past', ['no_show', 'canceled'])).toEqual({ period: 'past', status: ['no_show'] });
  expect(filterOf('all', ['no_show', 'canceled'])).toMatchObject({ status: ['no_show', 'canceled'] });
  expect(filterOf('all', [])).toMatchObject({ status: ['scheduled', 'canceled', 'no_show'] });
});
