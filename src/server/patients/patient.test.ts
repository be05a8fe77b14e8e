import { expect, test } from 'vitest';
import { latestBirthDate } from './patient.ts';

/** The age as the view shows it, by its definition; `patients.db.test.ts` compares. */
const ageOn = (today: string, born: string): number =>
  Number(today.slice(0, 4)) - Number(born.slice(0, 4)) - (today.slice(5) < born.slice(5) ? 1 : 0);

test('latestBirthDate agrees with the age, day by day over leap years', () => {
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
