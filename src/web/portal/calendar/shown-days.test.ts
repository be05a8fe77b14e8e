import { expect, test } from 'vitest';
import { availabilityRange, shownDays, stepFrom, titleOf, viewOf } from './shown-days.ts';

test('returns the first and last day of a view around the chosen day', () => {
  expect(shownDays('day', '2026-11-25')).toEqual({ first: '2026-11-25', last: '2026-11-25' });
  expect(shownDays('week', '2026-11-25')).toEqual({ first: '2026-11-22', last: '2026-11-28' });
  expect(shownDays('month', '2026-11-25')).toEqual({ first: '2026-11-01', last: '2026-12-05' });
  expect(shownDays('month', '2027-01-31')).toEqual({ first: '2026-12-27', last: '2027-02-06' });
});

test('steps to the next day, week or month, including across years', () => {
  expect(stepFrom('day', '2026-12-31', 1)).toBe('2027-01-01');
  expect(stepFrom('week', '2026-12-30', 1)).toBe('2027-01-06');
  expect(stepFrom('month', '2026-12-31', 1)).toBe('2027-01-01');
  expect(stepFrom('month', '2027-01-31', -1)).toBe('2026-12-01');
  expect(stepFrom('list', '2026-03-01', -1)).toBe('2026-02-28');
});

test('formats the displayed days, and shows a day for an unknown view', () => {
  expect(titleOf('day', '2026-11-25')).toBe('Wednesday, November 25, 2026');
  expect(titleOf('week', '2026-11-25')).toBe('Nov 22 – 28, 2026');
  expect(titleOf('week', '2026-12-30')).toBe('Dec 27 – Jan 2, 2027');
  expect(titleOf('month', '2026-11-25')).toBe('November 2026');
  expect(viewOf('year')).toBe('day');
});

test('asks for the availability of days on the reader’s clock: at most 168 hours, and none for a month', () => {
  const [monday, sunday] = ['2026-11-23', '2026-11-01'];
  expect(availabilityRange({ first: monday, last: monday }, 'Pacific/Auckland')).toEqual({
    from_date: '2026-11-22T11:00:00.000Z',
    to_date: '2026-11-23T10:59:59.999Z',
  });
  expect(availabilityRange(shownDays('week', sunday), 'America/New_York')).toEqual({
    from_date: '2026-11-01T04:00:00.000Z',
    to_date: '2026-11-08T04:00:00.000Z',
  });
  expect(availabilityRange(shownDays('month', sunday), 'America/New_York')).toBeNull();
});
