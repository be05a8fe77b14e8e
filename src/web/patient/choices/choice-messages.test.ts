import { expect, test } from 'vitest';
import { endedReason } from './choice-messages.ts';

const OF_THE_ADDRESS = ['stop', 'bounced', 'complained'] as const;
const OF_REMINDERS = ['unsubscribed', 'patient', 'staff'] as const;
const stopped = { channel: 'email', state: 'stopped', sender: null } as const;
const asIs = (number: string) => number;

test.each(OF_THE_ADDRESS)('says that a block of the address ends more than reminders: %s', (because) => {
  expect(endedReason({ ...stopped, because }, asIs)).toMatch(/news of appointments|nothing comes from that number/);
});

test.each(OF_REMINDERS)('says nothing more when only reminders are off: %s', (because) => {
  expect(endedReason({ ...stopped, because }, asIs)).toBeNull();
});

test('names the number to text START to after a STOP', () => {
  const reason = endedReason({ ...stopped, channel: 'sms', because: 'stop', sender: '+12025550198' }, asIs);
  expect(reason).toContain('text START from your phone to +12025550198.');
  expect(endedReason({ ...stopped, state: 'allowed', because: 'start' }, asIs)).toBeNull();
});
