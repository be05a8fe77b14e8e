import { expect, test } from 'vitest';
import { searchText, searchWords } from './search-text.ts';

test('contains names without accents, email, external id and digits of phone numbers', () => {
  const text = searchText({
    firstName: 'Renée',
    middleName: null,
    lastName: 'Example',
    email: 'renee@example.test',
    externalId: 'MRN-7',
    phoneNumbers: ['+12025550123'],
  });
  expect(text).toBe('renee example renee@example.test mrn-7 12025550123');
});

test('search words of a phone number include their digits, other words stay as they are', () => {
  expect(searchWords('  (202) 555-0123 ')).toEqual([
    ['(202)', '202'],
    ['555-0123', '5550123'],
  ]);
  expect(searchWords('José mrn-7')).toEqual([['jose'], ['mrn-7']]);
  expect(searchWords('Example, Ada')).toEqual([['example'], ['ada']]);
  expect(searchWords(' , ')).toEqual([]);
});
