import { expect, test } from 'vitest';
import { messageAction } from './message-action.ts';

const AT = '2026-11-23T14:00:00.000Z';
const before = Date.parse(AT) - 60_000;
const reminder = { kind: 'reminder', state: 'sent', visit_at: AT, why: null } as const;
const booked = { status: 'scheduled', from_date: AT } as const;
const canceled = { ...booked, status: 'canceled' } as const;

test('a message can be sent again before the appointment, and a planned one left out', () => {
  expect(messageAction(reminder, booked, before)).toBe('send');
  expect(messageAction({ ...reminder, state: 'planned' }, booked, before)).toBe('skip');
  expect(messageAction({ ...reminder, state: 'planned', why: 'bounced' }, booked, before)).toBeNull();
  expect(messageAction({ ...reminder, state: 'sending' }, booked, before)).toBeNull();
  expect(messageAction(reminder, booked, Date.parse(AT))).toBeNull();
});

test('of a canceled appointment only the notice of that can be sent again', () => {
  expect(messageAction({ ...reminder, state: 'skipped' }, canceled, before)).toBeNull();
  expect(messageAction({ ...reminder, kind: 'confirmation' }, canceled, before)).toBeNull();
  expect(messageAction({ ...reminder, kind: 'cancellation' }, canceled, before)).toBe('send');
  expect(messageAction({ ...reminder, kind: 'cancellation' }, booked, before)).toBeNull();
  expect(messageAction({ ...reminder, kind: 'cancellation', why: 'rebooked' }, canceled, before)).toBeNull();
});

test('a message about an earlier time of the appointment cannot be sent again', () => {
  expect(messageAction(reminder, { ...booked, from_date: '2026-11-23T15:00:00.000Z' }, before)).toBeNull();
});
