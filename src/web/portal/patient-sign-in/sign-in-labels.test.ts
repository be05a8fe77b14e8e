import { expect, test } from 'vitest';
import { deviceLabel, signInMethodsMessage } from './sign-in-labels.ts';

test('describes the ways to sign in by one sentence', () => {
  expect(signInMethodsMessage({ ways: [] })).toBe('Does not sign in. Your clinic keeps this record for them.');
  expect(signInMethodsMessage({ ways: ['text_message', 'password'] })).toBe(
    'Signs in by a code in a text message, or by email and password.',
  );
});

test('labels a device that sends no description', () => {
  expect(deviceLabel({ device: null, network: null })).toBe('Unknown device');
  expect(deviceLabel({ device: 'Firefox on Linux', network: '192.0.2.0/24' })).toBe('Firefox on Linux · 192.0.2.0/24');
});
