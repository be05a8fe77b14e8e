import { expect, test } from 'vitest';
import type { TimelineEntryView } from '#contract/timeline.ts';
import { foldLines, groupByDay, timesLabel } from './timeline-entries.tsx';

const line = (id: string, at: string): TimelineEntryView => ({
  id,
  at,
  kind: 'record',
  title: 'Added as a patient',
  note: null,
  by: 'Carelane',
  about: null,
});

test('groups entries by day on the reader’s clock, in their order', () => {
  const lines = [
    line('c', '2026-11-23T01:00:00.000Z'),
    line('b', '2026-11-22T23:00:00.000Z'),
    line('a', '2026-11-21T12:00:00.000Z'),
  ];
  const idsByDay = (zone: string) =>
    groupByDay(lines, zone).map(({ day, lines: own }) => [day, ...own.map(({ id }) => id)]);
  expect(idsByDay('UTC')).toEqual([
    ['2026-11-23', 'c'],
    ['2026-11-22', 'b'],
    ['2026-11-21', 'a'],
  ]);
  expect(idsByDay('America/New_York')).toEqual([
    ['2026-11-22', 'c', 'b'],
    ['2026-11-21', 'a'],
  ]);
});

test('folds adjacent entries that differ only in their time, and keeps each time', () => {
  const lines = [
    line('d', '2026-11-23T04:00:00.000Z'),
    line('c', '2026-11-23T03:00:00.000Z'),
    { ...line('b', '2026-11-23T02:00:00.000Z'), by: 'Robin Example' },
    line('a', '2026-11-23T01:00:00.000Z'),
  ];
  expect(foldLines(lines).map(({ id, times }) => [id, times.map((at) => at.slice(11, 13))])).toEqual([
    ['d', ['04', '03']],
    ['b', ['02']],
    ['a', ['01']],
  ]);
});

test('names the times of a folded entry only where they differ', () => {
  const at = '2026-01-01T14:05:10.000Z';
  expect(timesLabel([at], 'UTC')).toBe(false);
  expect(timesLabel([at, '2026-01-01T14:05:50.000Z'], 'UTC')).toBe(', 2 times');
  expect(timesLabel([at, '2026-01-01T13:00:00.000Z'], 'UTC')).toBe(', 2 times: 2:05 PM, 1:00 PM');
});
