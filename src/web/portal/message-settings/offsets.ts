const [HOUR, DAY] = [60, 1440];

/** Offered reminder times, in minutes before the appointment. */
export const OFFSETS = [7 * DAY, 3 * DAY, 2 * DAY, DAY, 4 * HOUR, 2 * HOUR, HOUR, 30];

const counted = (count: number, noun: string) => (count === 1 ? `1 ${noun} before` : `${count} ${noun}s before`);

/** "2 days before" */
export function offsetWords(minutes: number): string {
  if (minutes % DAY === 0) return counted(minutes / DAY, 'day');
  return minutes % HOUR === 0 ? counted(minutes / HOUR, 'hour') : counted(minutes, 'minute');
}

/** Hours of a day, as options of a Select. */
export const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour * HOUR),
  label: `${hour % 12 === 0 ? 12 : hour % 12}:00 ${hour < 12 ? 'AM' : 'PM'}`,
}));
