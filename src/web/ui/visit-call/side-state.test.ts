import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { readState, type SideState, stateOf, writeState } from './side-state.ts';

const TRACK = {};
test.each<[Parameters<typeof stateOf>[0], SideState]>([
  [
    { microphone: TRACK, camera: TRACK, isMuted: false },
    { microphone: 'on', camera: 'on' },
  ],
  [
    { microphone: TRACK, camera: null, isMuted: true },
    { microphone: 'muted', camera: 'off' },
  ],
  // Unmuting would not make them heard.
  [
    { microphone: null, camera: TRACK, isMuted: true },
    { microphone: 'none', camera: 'on' },
  ],
])('with %j a side tells %j, and the other reads it', (media, told) => {
  expect(stateOf(media)).toEqual(told);
  expect(readState(writeState(told))).toEqual(told);
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
])('%j is no state', (data) => {
  expect(readState(data)).toBeNull();
});

test('whatever is sent, nothing but a state is read, and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (data) => {
      const read = readState(data);
      return read === null || Object.keys(read).sort().join() === 'camera,microphone';
    }),
    { seed: SEED },
  );
});
