import { expect, test } from 'vitest';
import { faultSentence, fieldOfFault, readApiFaults, requestIdOf } from './api-faults.ts';

const taken = {
  code: 'email_taken',
  title: 'Email taken',
  detail: 'Send another email.',
  people: 'Another patient has this email.',
  source: { pointer: '/email' },
};

test('faults and the request id are read from the envelope that a failed call carries', () => {
  const error = { data: { errors: [taken], request_id: 'req_1' } };
  expect(readApiFaults(error)).toEqual([taken]);
  expect(requestIdOf(error)).toBe('req_1');
  expect(faultSentence(error)).toBe('Another patient has this email.');
});

test('words for programmers are never shown', () => {
  const { people: _, ...silent } = taken;
  expect(faultSentence({ data: { errors: [silent] } })).toMatch(/^Something did not work/);
});

test('an error without an envelope is told as a lost connection', () => {
  expect(readApiFaults(new TypeError('fetch failed'))[0].code).toBe('unreachable');
  expect(readApiFaults(null)[0].code).toBe('unreachable');
});

test('a JSON pointer names the form field, nested rows and escapes included', () => {
  expect(fieldOfFault({ ...taken, source: { pointer: '/phones_attributes/0/number' } })).toBe(
    'phones_attributes.0.number',
  );
  expect(fieldOfFault({ ...taken, source: { pointer: '/metadata/a~1b~0c' } })).toBe('metadata.a/b~c');
  expect(fieldOfFault({ ...taken, source: { parameter: 'from_date' } })).toBe('from_date');
});
