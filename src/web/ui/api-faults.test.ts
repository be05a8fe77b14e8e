import { expect, test } from 'vitest';
import { faultSentence, fieldOfFault, readApiFaults, requestIdOf } from './api-faults.ts';

const taken = {
  code: 'email_taken',
  title: 'Email taken',
  detail: 'Send another email.',
  people: 'Another patient has this email.',
  source: { pointer: '/email' },
};

test('reads the errors and the request id from the envelope of a failed call', () => {
  const error = { data: { errors: [taken], request_id: 'req_1' } };
  expect(readApiFaults(error)).toEqual([taken]);
  expect(requestIdOf(error)).toBe('req_1');
  expect(faultSentence(error)).toBe('Another patient has this email.');
});

test('never shows the detail that is meant for developers', () => {
  const { people: _, ...silent } = taken;
  expect(faultSentence({ data: { errors: [silent] } })).toMatch(/^Something did not work/);
});

test('reports an error without an envelope as a lost connection', () => {
  expect(readApiFaults(new TypeError('fetch failed'))[0].code).toBe('unreachable');
  expect(readApiFaults(null)[0].code).toBe('unreachable');
});

test('maps a JSON pointer to the form field, including nested rows and escapes', () => {
  expect(fieldOfFault({ ...taken, source: { pointer: '/phones_attributes/0/number' } })).toBe(
    'phones_attributes.0.number',
  );
  expect(fieldOfFault({ ...taken, source: { pointer: '/metadata/a~1b~0c' } })).toBe('metadata.a/b~c');
  expect(fieldOfFault({ ...taken, source: { parameter: 'from_date' } })).toBe('from_date');
});
