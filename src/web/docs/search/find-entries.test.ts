import { expect, test } from 'vitest';
import { findEntries } from './find-entries.ts';
import type { SearchEntry } from './search-entries.ts';

const entry = (label: string, more: Partial<SearchEntry> = {}): SearchEntry => ({
  group: 'Calls',
  label,
  hint: '',
  href: `#${label}`,
  words: '',
  ...more,
});
const labels = (entries: SearchEntry[], text: string) => findEntries(entries, text).map(({ label }) => label);

test('requires all words, case-insensitively, in any field', () => {
  const entries = [
    entry('Book an appointment', { hint: 'POST /appointments', words: 'calendar_id' }),
    entry('List plans'),
  ];
  expect(labels(entries, 'BOOK calendar')).toEqual(['Book an appointment']);
  expect(labels(entries, 'book plans')).toEqual([]);
});

test('ranks equal names first, then prefixes, then other matches', () => {
  const entries = [
    entry('Update a patient'),
    entry('Patients'),
    entry('Other', { words: 'patient' }),
    entry('Patient'),
  ];
  expect(labels(entries, 'patient')).toEqual(['Patient', 'Patients', 'Update a patient', 'Other']);
});

test('ranks a name before a text', () => {
  const text = entry('Testing', { group: 'Sections', words: 'some clock' });
  expect(labels([text, entry('Other', { words: 'clock' })], 'clock')).toEqual(['Other', 'Testing']);
});

test('matches words in texts only by their beginning', () => {
  const text = entry('Testing', { group: 'Sections', words: 'waiting clocks' });
  expect(labels([text], 'clock')).toEqual(['Testing']);
  expect(labels([text], 'lock')).toEqual([]);
});

test('groups the results', () => {
  const entries = [entry('ab'), entry('abc', { group: 'Errors' }), entry('abcd')];
  expect(labels(entries, 'ab')).toEqual(['ab', 'abcd', 'abc']);
});
