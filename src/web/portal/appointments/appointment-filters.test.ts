import { expect, test } from 'vitest';
import { filterOf, parsePractitionerFilter, practitionerFilterOptions, viewOf } from './appointment-filters.ts';

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

test('accepts a calendar number or a practitioner id from the URL, and ignores other values', () => {
  expect(parsePractitionerFilter('11')).toEqual({ calendar_id: 11 });
  const id = '0199A000-0000-7000-8000-00000000000a';
  expect(parsePractitionerFilter(id)).toEqual({ practitioner_id: id.toLowerCase() });
  for (const text of ['', '0', '-1', '1e3', '99999999999', 'Rowan', `${id}0`])
    expect(parsePractitionerFilter(text)).toBeNull();
});

test('offers calendars that Acuity no longer has while appointments use them, and the value from the URL', () => {
  const id = '0199a000-0000-7000-8000-00000000000a';
  const calendars = [{ id: 11, name: 'Rowan', practitioner_id: id }];
  const team = [{ id, name: 'Rowan' }];
  const appointments = [
    { calendar_id: 11, calendar: 'Rowan, as it was called' },
    { calendar_id: 12, calendar: 'Alder' },
    { calendar_id: 12, calendar: 'Alder' },
    { calendar_id: 15, calendar: 'Rowan' },
  ];
  const labels = (practitioner: string, input: object = { calendars, team, appointments }) =>
    practitionerFilterOptions({
      calendars: undefined,
      team: undefined,
      appointments: undefined,
      ...input,
      practitioner,
    }).map(({ value, label }) => `${value}: ${label}`);
  expect(labels('')).toEqual(['11: Rowan', '12: Alder', '15: Rowan (former)']);
  expect(labels('12')).toEqual(['11: Rowan', '12: Alder', '15: Rowan (former)']);
  // No appointment on the page names it, and Acuity does not list it.
  expect(labels('13')).toEqual(['11: Rowan', '12: Alder', '15: Rowan (former)', '13: Calendar 13']);
  expect(labels(id, { team })).toEqual([`${id}: Rowan, all calendars`]);
  expect(labels(id, {})).toEqual([`${id}: One practitioner`]);
  const twoCalendars = [...calendars, { id: 14, name: 'Rowan, evenings', practitioner_id: id }];
  expect(labels('', { calendars: twoCalendars, team })).toEqual([
    '11: Rowan',
    '14: Rowan, evenings',
    `${id}: Rowan, all calendars`,
  ]);
});
