import { expect, test } from 'vitest';
import { ageOn, bornBy } from './age.ts';

test('a birthday is celebrated on its day and not before', () => {
  expect(ageOn('2026-11-20', '1990-11-21')).toBe(35);
  expect(ageOn('2026-11-21', '1990-11-21')).toBe(36);
});

test('who was born on 29 February grows older on 1 March of a common year', () => {
  expect(ageOn('2027-02-28', '2004-02-29')).toBe(22);
  expect(ageOn('2027-03-01', '2004-02-29')).toBe(23);
  expect(ageOn('2028-02-29', '2004-02-29')).toBe(24);
});

test('the last day of birth for an age agrees with the age, day by day over leap years', () => {
  const days = Array.from({ length: 366 * 9 }, (_, day) =>
    new Date(Date.UTC(1996, 0, 1 + day)).toISOString().slice(0, 10),
  );
  for (const today of ['2026-02-28', '2026-03-01', '2028-02-28', '2028-02-29', '2028-03-01', '2100-02-28'])
    for (const years of [1, 22, 24, 30, 100]) {
      const last = bornBy(today, years)!;
      expect(days.filter((born) => born <= last !== ageOn(today, born) >= years)).toEqual([]);
    }
});

test('nobody is a million years old, and everybody is at least zero', () => {
  expect(bornBy('2026-11-21', 1_000_000)).toBeNull();
  expect(bornBy('2026-11-21', -5)).toBe('2026-11-21');
});
