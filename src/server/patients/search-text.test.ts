import { describe, expect, test } from 'vitest';
import { readSearch, searchText } from './search-text.ts';

test('contains names without accents, email, external id, digits of phone numbers and tags', () => {
  const text = searchText({
    firstName: 'Renée',
    middleName: null,
    lastName: 'Example',
    email: 'renee@example.test',
    externalId: 'MRN-7',
    tagList: ['Diabète', 'new'],
    phoneNumbers: ['+12025550123'],
  });
  expect(text).toBe('renee example renee@example.test mrn-7 12025550123 diabete new');
});

const read = (search: string) => readSearch(search, '2026-11-27');

test('search words of a phone number include their digits, other words stay as they are', () => {
  const wordsOf = (search: string) => read(search).words;
  expect(wordsOf('  (202) 555-0123 ')).toEqual([
    ['(202)', '202'],
    ['555-0123', '5550123'],
  ]);
  expect(wordsOf('José mrn-7')).toEqual([['jose'], ['mrn-7']]);
  expect(wordsOf('Example, Ada')).toEqual([['example'], ['ada']]);
  expect(wordsOf(' , ')).toEqual([]);
});

describe('a date of birth', () => {
  test.each([
    ['1980-03-01', ['1980-03-01']],
    ['1980/3/1', ['1980-03-01']],
    ['03/01/1980', ['1980-03-01', '1980-01-03']],
    ['3-1-1980', ['1980-03-01', '1980-01-03']],
    ['1.3.1980', ['1980-03-01']],
    ['25/12/1980', ['1980-12-25']],
    ['1.3.80', ['1980-03-01']],
    ['1.3.08', ['1908-03-01', '2008-03-01']],
    ['1 March 1980', ['1980-03-01']],
    ['1. Mar 1980', ['1980-03-01']],
    ['1-mar-1980', ['1980-03-01']],
    ['Mar 1, 1980', ['1980-03-01']],
    ['march 1st 1980', ['1980-03-01']],
    ['Sept. 30 1980', ['1980-09-30']],
    ['29.2.2004', ['2004-02-29']],
  ])('%s is read as %j', (search, days) => {
    expect(read(search)).toEqual({ words: [], birthDates: [{ text: search.toLowerCase(), days }] });
  });

  test('may stand beside words', () => {
    expect(read('Smith, 1980-03-01 ada')).toEqual({
      words: [['smith'], ['ada']],
      birthDates: [{ text: '1980-03-01', days: ['1980-03-01'] }],
    });
  });

  test.each(['29.2.2005', '31/31/1980', '2030-01-01', '1700-01-01', '12-03-1980-7', 'mrn-1-3-1980', '1 Foo 1980'])(
    '%s is none',
    (search) => {
      expect(read(search).birthDates).toEqual([]);
      expect(read(search).words.length).toBeGreaterThan(0);
    },
  );
});
