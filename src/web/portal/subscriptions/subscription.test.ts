import { expect, test } from 'vitest';
import { shownStatus } from './subscription.ts';

const START = '2026-11-20T10:00:00.000Z';
const AN_HOUR_LATER = '2026-11-20T11:00:00.000Z';
const NEXT_DAY = '2026-11-21T09:00:00.000Z';
const NEXT_MONTH = '2026-12-20T10:00:00.000Z';
const expired = {
  status: 'incomplete_expired' as const,
  created_at: START,
  current_period_start: START,
  canceled_at: null,
  cancel_at: null,
  ended_at: NEXT_DAY,
};

test('shows an expired subscription as not paid in time', () => {
  expect(shownStatus(expired)).toBe('incomplete_expired');
});

test('shows a subscription that was canceled before its payment as canceled', () => {
  expect(shownStatus({ ...expired, canceled_at: AN_HOUR_LATER, ended_at: AN_HOUR_LATER })).toBe('canceled');
});

test('distinguishes an end planned from the start from a cancellation', () => {
  const planned = { ...expired, canceled_at: START, cancel_at: NEXT_MONTH };
  expect(shownStatus(planned)).toBe('incomplete_expired');
  expect(shownStatus({ ...planned, ended_at: AN_HOUR_LATER })).toBe('canceled');
});

test('shows every other status unchanged', () => {
  expect(shownStatus({ ...expired, status: 'active', ended_at: null })).toBe('active');
  expect(shownStatus({ ...expired, status: 'canceled', canceled_at: NEXT_DAY })).toBe('canceled');
});
