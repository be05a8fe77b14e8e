import { expect, test } from 'vitest';
import { ageOn, latestBirthDate } from './patient.ts';

test('the age increases on the birthday and not before', () => {
  expect(ageOn('2026-11-20', '1990-11-21')).toBe(35);
  expect(ageOn('2026-11-21', '1990-11-21')).toBe(36);
});

test('a patient born on February 29 turns a year older on March 1 of a common year', () => {
  expect(ageOn('2027-02-28', '2004-02-29')).toBe(22);
  expect(ageOn('2027-03-01', '2004-02-29')).toBe(23);
  expect(ageOn('2028-02-29', '2004-02-29')).toBe(24);
});

test('latestBirthDate agrees with ageOn, day by day over leap years', () => {
  const days = Array.from({ length: 366 * 9 }, (_, day) =>
    new Date(Date.UTC(1996, 0, 1 + day)).toISOString().slice(0, 10),
  );
  for (const today of ['2026-02-28', '2026-03-01', '2028-02-28', '2028-02-29', '2028-03-01', '2100-02-28'])
    for (const years of [1, 22, 24, 30, 100]) {
      const last = latestBirthDate(today, years)!;
      expect(days.filter((born) => born <= last !== ageOn(today, born) >= years)).toEqual([]);
    }
});

test('returns null for an impossible age, and today for a negative one', () => {
  expect(latestBirthDate('2026-11-21', 1_000_000)).toBeNull();
  expect(latestBirthDate('2026-11-21', -5)).toBe('2026-11-21');
});
