import { expect, test } from 'vitest';
import { whyEnded } from './way-words.ts';

const OF_THE_ADDRESS = ['stop', 'bounced', 'complained'] as const;
const OF_REMINDERS = ['unsubscribed', 'patient', 'staff'] as const;
const stopped = { channel: 'email', state: 'stopped', sender: null } as const;
const asIs = (number: string) => number;

test.each(OF_THE_ADDRESS)('what an address told ends more than reminders, and the page says so: %s', (because) => {
  expect(whyEnded({ ...stopped, because }, asIs)).toMatch(/news of visits|nothing comes from that number/);
});

test.each(OF_REMINDERS)('who chose to get no reminders gets the rest: %s', (because) => {
  expect(whyEnded({ ...stopped, because }, asIs)).toBeNull();
});

test('the way back from a STOP names the number', () => {
  const words = whyEnded({ ...stopped, channel: 'sms', because: 'stop', sender: '+12025550198' }, asIs);
  expect(words).toContain('text START from your phone to +12025550198.');
  expect(whyEnded({ ...stopped, state: 'allowed', because: 'start' }, asIs)).toBeNull();
});
