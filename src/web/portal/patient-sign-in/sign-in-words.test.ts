import { expect, test } from 'vitest';
import { deviceWords, waysWords } from './sign-in-words.ts';

test('describes the ways to sign in by one sentence', () => {
  expect(waysWords({ ways: [] })).toBe('Does not sign in. Your clinic keeps this record for them.');
  expect(waysWords({ ways: ['text_message', 'password'] })).toBe(
    'Signs in by a code in a text message, or by email and password.',
  );
});

test('labels a device that sends no description', () => {
  expect(deviceWords({ device: null, network: null })).toBe('Unknown device');
  expect(deviceWords({ device: 'Firefox on Linux', network: '192.0.2.0/24' })).toBe('Firefox on Linux · 192.0.2.0/24');
});
