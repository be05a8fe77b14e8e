import { expect, test } from 'vitest';
import { choiceLabel } from './choice-labels.ts';

const stopped = { channel: 'email', state: 'stopped', sender: null, address: 'ada@example.test', since: null } as const;
const shown = { ...stopped, sign_in_codes: null, sign_in_sender: null };

test.each(['stop', 'bounced', 'complained'] as const)(
  'stops more than reminders when the reason comes from the address: %s',
  (because) => {
    expect(choiceLabel({ ...shown, because })).toContain('No reminders or news of appointments by email:');
  },
);

test.each(['unsubscribed', 'patient', 'staff'] as const)(
  'stops only reminders when the reason is a choice: %s',
  (because) => {
    expect(choiceLabel({ ...shown, because })).toMatch(/^No reminders by email:/);
  },
);
