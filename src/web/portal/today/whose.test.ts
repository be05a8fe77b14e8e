import { expect, test } from 'vitest';
import { whoseToShow } from './whose.ts';

const practitioner = { role: 'practitioner', param: '', stored: null } as const;

test('shows practitioners their own appointments first, and all to other roles', () => {
  expect(whoseToShow(practitioner)).toBe('mine');
  expect(whoseToShow({ ...practitioner, role: 'admin' })).toBe('all');
});

test('a stored choice replaces the default, and a link replaces both', () => {
  expect(whoseToShow({ ...practitioner, stored: 'all' })).toBe('all');
  expect(whoseToShow({ ...practitioner, stored: 'all', param: 'mine' })).toBe('mine');
  expect(whoseToShow({ ...practitioner, role: 'admin', stored: 'mine' })).toBe('mine');
});

test('ignores unknown values', () => {
  expect(whoseToShow({ ...practitioner, stored: 'theirs', param: 'everything' })).toBe('mine');
});
