import type { FreeSlots } from '#contract/availability.ts';

const DAY_MS = 86_400_000;
/** Clients accept headers of 16 kB in total. */
const MOST = 6_000;

/** Formats `11/2026-11-23..2026-11-25, 12/2026-11-23`: consecutive days are a range. */
export function formatMissingDays(missing: FreeSlots['missing']): string {
  const sorted = [...missing].sort((a, b) => a.calendar_id - b.calendar_id || (a.day < b.day ? -1 : 1));
  const runs: { calendar: number; first: string; last: string }[] = [];
  for (const { calendar_id: calendar, day } of sorted) {
    const run = runs.at(-1);
    if (run?.calendar === calendar && Date.parse(day) - Date.parse(run.last) === DAY_MS) run.last = day;
    else runs.push({ calendar, first: day, last: day });
  }
  const words: string[] = [];
  let length = 0;
  for (const { calendar, first, last } of runs) {
    const word = `${calendar}/${first === last ? first : `${first}..${last}`}`;
    length += word.length + 2;
    if (length > MOST) return `${words.join(', ')}, ...`;
    words.push(word);
  }
  return words.join(', ');
}
