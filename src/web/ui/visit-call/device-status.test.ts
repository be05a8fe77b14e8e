import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { type DeviceStatus, deviceStatusOf, parseDeviceStatus, serializeDeviceStatus } from './device-status.ts';

const TRACK = {};
test.each<[Parameters<typeof deviceStatusOf>[0], DeviceStatus]>([
  [
    { microphone: TRACK, camera: TRACK, isMuted: false },
    { microphone: 'on', camera: 'on' },
  ],
  [
    { microphone: TRACK, camera: null, isMuted: true },
    { microphone: 'muted', camera: 'off' },
  ],
  // Without a microphone, unmuting has no effect.
  [
    { microphone: null, camera: TRACK, isMuted: true },
    { microphone: 'none', camera: 'on' },
  ],
])('with %j sends %j, and reads it back', (media, status) => {
  expect(deviceStatusOf(media)).toEqual(status);
  expect(parseDeviceStatus(serializeDeviceStatus(status))).toEqual(status);
});

test.each([
  '',
  'null',
  '[]',
  '{',
  '{"microphone":"loud","camera":"on"}',
  '{"microphone":"on"}',
  JSON.stringify({ microphone: 'on', camera: 'on', more: 'x'.repeat(200) }),
  new ArrayBuffer(8),
  null,
])('%j is rejected', (data) => {
  expect(parseDeviceStatus(data)).toBeNull();
});

test('reads only valid states from arbitrary data, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (data) => {
      const read = parseDeviceStatus(data);
      return read === null || Object.keys(read).sort().join() === 'camera,microphone';
    }),
    { seed: SEED },
  );
});
