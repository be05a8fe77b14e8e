import { expect, test } from 'vitest';
import { figuresOf, firstAfterNow } from './day.ts';

const at = (time: string) => Date.parse(`2026-11-23T${time}:00-05:00`);
const appointment = (id: string, time: string, status: 'scheduled' | 'no_show' = 'scheduled') => ({
  ...{ id, status, completed_at: null as string | null },
  from_date: `2026-11-23T${time}:00-05:00`,
});
const day = [
  appointment('a', '09:00'),
  appointment('b', '09:30', 'no_show'),
  appointment('c', '09:30'),
  appointment('d', '11:00'),
];

test.each([
  ['08:55', 3, 'a', null],
  ['09:00', 2, 'c', 'b'],
  ['09:15', 2, 'c', 'b'],
  ['09:30', 1, 'd', 'd'],
  ['11:00', 0, undefined, null],
])('at %s, %i are still to come, %s is next, and the line is above %s', (time, coming, next, below) => {
  const figures = figuresOf(day, at(time));
  expect([figures.all, figures.missed, figures.coming, figures.next?.id]).toEqual([4, 1, coming, next]);
  expect(firstAfterNow(day, at(time))).toBe(below);
});

test('an appointment that took place early is not to come any more', () => {
  const early = { ...appointment('c', '09:30'), completed_at: '2026-11-23T09:25:00-05:00' };
  expect(figuresOf([early, appointment('d', '11:00')], at('09:26'))).toMatchObject({ coming: 1, next: { id: 'd' } });
});

test('a day without appointments has no next one and no line', () => {
  expect(figuresOf([], at('09:00'))).toEqual({ all: 0, missed: 0, coming: 0, next: null });
  expect(firstAfterNow([], at('09:00'))).toBeNull();
});
