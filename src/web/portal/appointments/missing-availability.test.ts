import { expect, test } from 'vitest';
import { missingAvailabilityMessage, reloadIntervalMs } from './missing-availability.ts';

const complete = { items: [], availability_as_of: null, missing: [], trouble: null };
const slow = { ...complete, missing: [{ calendar_id: 11, day: '2026-11-23' }] };
const failing = { ...slow, trouble: 'Acuity cannot be reached at the moment.' };

test('says why slots are missing, and promises more only while Acuity responds', () => {
  expect(missingAvailabilityMessage(slow)).toMatch(/^Acuity is still telling us more times/);
  expect(missingAvailabilityMessage(failing)).toBe(
    'Some free times are missing. Acuity cannot be reached at the moment.',
  );
  expect([missingAvailabilityMessage(complete), missingAvailabilityMessage(undefined)]).toEqual([null, null]);
});

test('reloads missing slots, less often while Acuity fails', () => {
  expect([reloadIntervalMs(complete), reloadIntervalMs(undefined)]).toEqual([false, false]);
  expect(Number(reloadIntervalMs(failing))).toBeGreaterThan(Number(reloadIntervalMs(slow)));
});
