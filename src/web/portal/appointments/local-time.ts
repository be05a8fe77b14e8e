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

/**
 * Converts a local time (`YYYY-MM-DDTHH:mm`) to a UTC instant; null for other input. A skipped time maps to the time
 * that the clock shows instead; of a time that occurs twice, the first is used.
 */
export function toInstant(local: string, timeZone: string): string | null {
  const localMs = Date.parse(`${local}Z`);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local) || Number.isNaN(localMs)) return null;
  const offsets = [localMs - DAY_MS, localMs + DAY_MS].map((at) => clockOf(at, timeZone) - at);
  const candidates = offsets.map((offset) => localMs - offset);
  const exact = candidates.filter((at) => clockOf(at, timeZone) === localMs);
  const at = exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

const DAY_MS = 24 * 3_600_000;

/** Local time of the zone at an instant, in epoch milliseconds as if it were UTC. */
function clockOf(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(new Date(at));
  const part = (type: string) => parts.find((entry) => entry.type === type)?.value ?? '';
  return Date.parse(`${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}Z`);
}
