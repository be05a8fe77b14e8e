import { expect, test } from 'vitest';
import { addressErrorOf } from './record-delivery-error.ts';
import { numberOf } from './signals.ts';

const smtpError = (response: string, command = 'RCPT TO') =>
  addressErrorOf(Object.assign(new Error(), { responseCode: Number(response.slice(0, 3)), response, command }));

test.each([
  '550 5.1.1 <ada@example.test>: Recipient address rejected: User unknown',
  '550 5.1.1 <ada@example.test>: Recipient address rejected: User unknown in relay recipient table',
  '550 5.1.1 The email account that you tried to reach does not exist',
  '550 5.1.10 Recipient not found',
  '550 5.2.1 The email account that you tried to reach is disabled',
  '550 No such user here',
  '550 Unrouteable address',
  '550 unknown',
  '551 User not local',
  '553 5.1.3 Bad recipient address syntax',
  '550 <relay@policy.example.test>... User unknown',
])('the mailbox does not exist: %s', (response) => {
  expect(smtpError(response)).toEqual({ because: 'bounced' });
});

test.each([
  '550 relay not permitted',
  '550 relay not permitted, authentication required',
  '550 Relaying denied',
  '553 sorry, that domain is not in my list of allowed rcpthosts',
  '550 5.1.8 <clinic@example.test>: Sender address rejected: Domain not found',
  '550 5.1.7 Bad sender address',
  '553 <clinic@example.test>: Sender address rejected: not owned by user',
  '550 Sender verify failed',
  '550 Rejected because 192.0.2.1 is in a black list',
  '550 SPF check failed',
  '550 Message rejected as spam',
  '550 Too many messages from your address, try later',
  '550 5.7.1 Refused for reasons of policy',
  '550 5.2.2 Mailbox full',
  '550 Mailbox is full',
  '550 Mailbox quota exceeded',
  '552 5.2.2 Over quota',
  '451 4.7.1 Greylisted',
])('the error has another or a temporary reason: %s', (response) => {
  expect(smtpError(response)).toBeNull();
});

test('an error after the address was accepted says nothing about the address', () => {
  expect(smtpError('550 5.1.1 User unknown', 'DATA')).toBeNull();
});

test('a messaging service is not shown as a number to text', () => {
  expect([`MG${'0'.repeat(32)}`, '', '+12025550100', '12345'].map(numberOf)).toEqual([
    null,
    null,
    '+12025550100',
    '12345',
  ]);
});
