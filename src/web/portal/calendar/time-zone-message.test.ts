import { expect, test } from 'vitest';
import { timeZoneMessage } from './time-zone-message.ts';

const calendar = (name: string, time_zone: string) => ({ name, time_zone });
const ROWAN = calendar('Rowan', 'America/New_York');
const ALDER = calendar('Alder', 'America/Chicago');
const BIRCH = calendar('Birch', 'America/Denver');
const words = (...calendars: (typeof ROWAN)[]) =>
  timeZoneMessage(calendars, 'America/New_York', '2026-11-23T12:00:00Z').replace(
    'Times are on your clock (New York)',
    '…',
  );

test('names the calendars that use another time zone', () => {
  expect(words(ROWAN, calendar('Hazel', 'America/Toronto'))).toBe('….');
  expect(words(ROWAN, ALDER)).toBe('…; the calendar of Alder is kept in Chicago.');
  expect(words(ROWAN, ALDER, BIRCH)).toBe('…; some calendars are kept in Chicago, Denver.');
  expect(words(ALDER, BIRCH)).toBe('…; calendars are kept in Chicago, Denver.');
});
