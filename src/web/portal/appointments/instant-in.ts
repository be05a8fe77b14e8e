/**
 * Converts a local time (`YYYY-MM-DDTHH:mm`) to a UTC instant; null for other input. A skipped time maps to the time
 * that the clock shows instead; of a time that occurs twice, the first is used.
 */
export function toInstant(local: string, timeZone: string): string | null {
  const wanted = Date.parse(`${local}Z`);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local) || Number.isNaN(wanted)) return null;
  const ahead = [wanted - DAY_MS, wanted + DAY_MS].map((at) => clockOf(at, timeZone) - at);
  const candidates = ahead.map((offset) => wanted - offset);
  const exact = candidates.filter((at) => clockOf(at, timeZone) === wanted);
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
