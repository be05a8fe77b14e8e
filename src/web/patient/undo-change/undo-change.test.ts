import { expect, test } from 'vitest';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { addressLabel, outcomeMessages } from './undo-change.tsx';

const change: AddressChangeView = {
  clinic: 'Riverbend Clinic',
  kind: 'phone_number',
  address: '… 0123',
  changed_at: '2030-01-01T00:00:00.000Z',
  until: '2030-01-04T00:00:00.000Z',
  state: 'undone',
  restored: true,
  needs: 'clinic',
};

test('shows the masked address', () => {
  expect(addressLabel(change)).toBe('the phone number that ends in 0123');
  expect(addressLabel({ kind: 'email', address: 'ad…@example.test' })).toBe('the email address ad…@example.test');
});

test('names the next step for each state', () => {
  expect(outcomeMessages(change).next).toContain('contact Riverbend Clinic');
  expect(outcomeMessages({ ...change, needs: 'password' }).next).toContain('use your password');
  expect(outcomeMessages({ ...change, needs: null }).next).toBe('You can sign in as usual.');
  expect(outcomeMessages({ ...change, restored: false })).toMatchObject({ title: 'Your account is safe, but locked' });
  expect(outcomeMessages({ ...change, state: 'over' })).toMatchObject({ title: 'This link does not work any more' });
});
