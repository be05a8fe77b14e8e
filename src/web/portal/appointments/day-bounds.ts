import { addDays } from '#web/ui/format-time.ts';

/** First and last instant (UTC) of a local day (YYYY-MM-DD) in a time zone; handles days of 23 and 25 hours. */
export function dayBounds(day: string, timeZone: string): { start: string; end: string } {
  const start = startOf(day, timeZone);
  const end = startOf(addDays(day, 1), timeZone) - 1;
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}

/** Local midnight in epoch milliseconds. The offset is looked up twice, because it may differ at UTC midnight. */
function startOf(day: string, timeZone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const guess = utc - offsetMs(utc, timeZone);
  return utc - offsetMs(guess, timeZone);
}

/** Offset of a time zone from UTC at an instant, in milliseconds. */
function offsetMs(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(instant);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
