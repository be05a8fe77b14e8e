import { expect, test } from 'vitest';
import { missingWords, reloadAfter } from './missing-times.ts';

const complete = { items: [], availability_as_of: null, missing: [], trouble: null };
const slow = { ...complete, missing: [{ calendar_id: 11, day: '2026-11-23' }] };
const failing = { ...slow, trouble: 'Acuity cannot be reached at the moment.' };

test('says why slots are missing, and promises more only while Acuity responds', () => {
  expect(missingWords(slow)).toMatch(/^Acuity is still telling us more times/);
  expect(missingWords(failing)).toBe('Some free times are missing. Acuity cannot be reached at the moment.');
  expect([missingWords(complete), missingWords(undefined)]).toEqual([null, null]);
});

test('reloads missing slots, less often while Acuity fails', () => {
  expect([reloadAfter(complete), reloadAfter(undefined)]).toEqual([false, false]);
  expect(Number(reloadAfter(failing))).toBeGreaterThan(Number(reloadAfter(slow)));
});
