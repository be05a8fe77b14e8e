import { expect, test } from 'vitest';
import { normalizePhoneNumber } from './normalize.ts';

test.each([
  '2025550123',
  '(202) 555-0123',
  '202.555.0123',
  '202 555 0123',
  '1-202-555-0123',
  '+1 (202) 555-0123',
  '+12025550123',
  'tel:+1-202-555-0123',
  ' 202\u00a0555\u20110123 ',
  '２０２５５５０１２３',
])('%s is +12025550123', (text) => {
  expect(normalizePhoneNumber(text)).toBe('+12025550123');
});

test.each([
  '',
  '5550123',
  '202555012',
  '20255501234',
  '+44 20 7946 0958',
  '011 1 202 555 0123',
  '102-555-0123',
  '202-155-0123',
  '202-555-0123 x5',
  '1-800-FLOWERS',
  'null',
])('rejects %s as not a number of the United States', (text) => {
  expect(() => normalizePhoneNumber(text)).toThrow(expect.objectContaining({ code: 'invalid_phone_number' }));
});

test.each(['+1 900 555 0123', '+1 876 555 0123', '1 (242) 555-0123'])('rejects %s as not supported', (text) => {
  expect(() => normalizePhoneNumber(text)).toThrow(expect.objectContaining({ code: 'phone_number_not_supported' }));
});
