const OLDEST_YEARS = 200;

/**
 * Returns the age in whole years on `today`. A patient born on February 29 turns a year older on March 1 of a common
 * year.
 */
export function ageOn(today: string, birthDate: string): number {
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/** Returns the last date of birth that makes a patient at least `years` old on `today`; null for an impossible age. */
export function latestBirthDate(today: string, years: number): string | null {
  if (years <= 0) return today;
  if (years > OLDEST_YEARS) return null;
  const year = Number(today.slice(0, 4)) - years;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const day = today.slice(5) === '02-29' && !isLeap ? '02-28' : today.slice(5);
  return `${String(year).padStart(4, '0')}-${day}`;
}
