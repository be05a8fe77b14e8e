const OLDEST_YEARS = 200;

/** Whole years on `today`. Who was born on 29 February grows older on 1 March of a common year. */
export function ageOn(today: string, birthDate: string): number {
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/** The last day of birth that makes somebody at least `years` old on `today`; null when nobody can be that old. */
export function bornBy(today: string, years: number): string | null {
  if (years <= 0) return today;
  if (years > OLDEST_YEARS) return null;
  const year = Number(today.slice(0, 4)) - years;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const day = today.slice(5) === '02-29' && !isLeap ? '02-28' : today.slice(5);
  return `${String(year).padStart(4, '0')}-${day}`;
}
