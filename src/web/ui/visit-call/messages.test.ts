import { expect, test } from 'vitest';
import type { DeviceStatus } from './device-status.ts';
import { remoteDevicesMessage, waitMessage } from './messages.ts';

test.each<[number | null, number | null, string]>([
  [null, null, ''],
  [0, 0, 'You are next.'],
  [1, null, 'One person is before you.'],
  [2, 10, '2 people are before you. Your visit begins about 10 minutes late.'],
  [null, 1, 'Your visit begins about 1 minute late.'],
])('with %s before and %s minutes late: “%s”', (before, delay, message) => {
  expect(waitMessage(before, delay)).toBe(message);
});

test.each<[DeviceStatus | null, string | null]>([
  [null, null],
  [{ microphone: 'on', camera: 'on' }, null],
  [{ microphone: 'muted', camera: 'on' }, 'Rowan is muted'],
  [{ microphone: 'on', camera: 'off' }, 'Rowan has the camera off'],
  [{ microphone: 'muted', camera: 'off' }, 'Rowan is muted and has the camera off'],
  [{ microphone: 'none', camera: 'on' }, 'Rowan has no microphone'],
])('with %j: %j', (state, message) => {
  expect(remoteDevicesMessage('Rowan', state)).toBe(message);
});
