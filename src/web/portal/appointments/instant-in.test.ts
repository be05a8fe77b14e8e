import { expect, test } from 'vitest';
import { toInstant } from './instant-in.ts';

test.each([
  ['2026-11-23T09:00', 'America/New_York', '2026-11-23T14:00:00Z'],
  ['2026-07-01T09:00', 'America/New_York', '2026-07-01T13:00:00Z'],
  ['2026-11-23T09:00', 'Asia/Kathmandu', '2026-11-23T03:15:00Z'],
  ['2026-11-23T00:30', 'Pacific/Kiritimati', '2026-11-22T10:30:00Z'],
  // 02:30 does not exist on this day, and 01:30 occurs twice.
  ['2027-03-14T02:30', 'America/New_York', '2027-03-14T07:30:00Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
  ['tomorrow', 'UTC', null],
  ['', 'UTC', null],
])('%s in %s is %s', (local, zone, instant) => {
  expect(toInstant(local, zone)).toBe(instant);
});
