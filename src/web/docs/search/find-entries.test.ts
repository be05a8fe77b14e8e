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

test('all words have to be there, in any case, wherever they stand', () => {
  const entries = [
    entry('Book an appointment', { hint: 'POST /appointments', words: 'calendar_id' }),
    entry('List plans'),
  ];
  expect(labels(entries, 'BOOK calendar')).toEqual(['Book an appointment']);
  expect(labels(entries, 'book plans')).toEqual([]);
});

test('what is called so comes before what begins so, and that before what only has it', () => {
  const entries = [
    entry('Update a patient'),
    entry('Patients'),
    entry('Other', { words: 'patient' }),
    entry('Patient'),
  ];
  expect(labels(entries, 'patient')).toEqual(['Patient', 'Patients', 'Update a patient', 'Other']);
});

test('a name comes before a text that only has the word', () => {
  const text = entry('Testing', { group: 'Sections', words: 'some clock' });
  expect(labels([text, entry('Other', { words: 'clock' })], 'clock')).toEqual(['Other', 'Testing']);
});

test('in a text a word counts by its beginning, not by what stands within others', () => {
  const text = entry('Testing', { group: 'Sections', words: 'waiting clocks' });
  expect(labels([text], 'clock')).toEqual(['Testing']);
  expect(labels([text], 'lock')).toEqual([]);
});

test('those of one group stand together', () => {
  const entries = [entry('ab'), entry('abc', { group: 'Errors' }), entry('abcd')];
  expect(labels(entries, 'ab')).toEqual(['ab', 'abcd', 'abc']);
});
