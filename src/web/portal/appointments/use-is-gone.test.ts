import { expect, test } from 'vitest';
import type { AvailabilityView, FreeSlots } from '#contract/availability.ts';
import { isOffered } from './use-is-gone.ts';

const listOf = (times: string[], missing: FreeSlots['missing'] = []): FreeSlots => ({
  items: times.map((from_date) => ({ from_date }) as AvailabilityView),
  availability_as_of: null,
  missing,
  trouble: null,
});
const NINE = '2026-11-23T09:00:00-05:00';
const UNKNOWN = [{ calendar_id: 2, day: '2026-11-24' }];

test.each([
  ['a time of the list', NINE, listOf(['2026-11-23T08:00:00-05:00', NINE]), true],
  ['the same instant, written in another zone', NINE, listOf(['2026-11-23T08:00:00-06:00']), true],
  ['a time of an incomplete list', NINE, listOf([NINE], UNKNOWN), true],
  ['a time that is not in the list', NINE, listOf(['2026-11-23T10:00:00-05:00']), false],
  ['a time that may be in the missing part', NINE, listOf([], UNKNOWN), null],
  ['a list that is not loaded', NINE, undefined, null],
])('%s', (_what, time, times, expected) => {
  expect(isOffered(time, times)).toBe(expected);
});
