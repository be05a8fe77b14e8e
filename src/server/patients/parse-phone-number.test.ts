import { expect, test } from 'vitest';
import { parsePhoneNumber } from './parse-phone-number.ts';

test.each(['(202) 555-0123', '202.555.0123', '1 202 555 0123', '+1 202-555-0123', '2025550123'])(
  'parses the United States number %s without its country code',
  (spelling) => expect(parsePhoneNumber(spelling)).toBe('+12025550123'),
);

test('parses a number of another country with its country code', () => {
  expect(parsePhoneNumber('+44 20 7946 0958')).toBe('+442079460958');
});

test.each([
  '',
  '12',
  '555-0123',
  'call 202 555 0123 now',
  '+1 111 111 1111',
  '+999 123 456 789',
  '202 555 0123 ext. 4',
])('rejects %j', (text) => expect(parsePhoneNumber(text)).toBeNull());
