import { z } from 'zod';
import { DAY, MINUTE } from '../core/clock.ts';
import { addDays, type Day, fromMinute, localDay, offsetAt, toMinute } from '../core/zone.ts';
import { ZonedTime } from './acuity-datetime.ts';
import type { Days, ProviderBlock } from './scheduling-provider.ts';

/**
 * Acuity does not document the formats of `until` and `recurring`: an unreadable value means no repetition, or no end.
 */
export const Block = z
  .object({
    id: z.int(),
    calendarID: z.int(),
    start: ZonedTime,
    end: ZonedTime,
    until: z.string().nullish().catch(null),
    recurring: z.string().nullish().catch(null),
  })
  .transform((block) => ({
    id: block.id,
    calendarId: block.calendarID,
    startAt: block.start,
    endAt: block.end,
    everyDays: { daily: 1, weekly: 7 }[block.recurring?.toLowerCase() ?? ''] ?? null,
    lastDay: block.until ? dayOf(block.until) : null,
  }));
type Listed = z.infer<typeof Block>;

/** Parses `2036-02-01`, with or without a time, or `February 1, 2036`. */
function dayOf(text: string): Day | null {
  const at = Date.parse(`${/^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? text} UTC`);
  return Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 10);
}

/**
 * Lists all blocks of the days. One response holds at most `max`: a full one is requested again in halves, down to
 * single days.
 */
export async function listBlocks(list: (of: Days) => Promise<Listed[]>, of: Days, max: number): Promise<Listed[]> {
  const listed = await list(of);
  const days = (Date.parse(of.lastDay) - Date.parse(of.firstDay)) / DAY + 1;
  if (listed.length < max || days < 2) return listed;
  const middle = addDays(of.firstDay, Math.floor(days / 2));
  const halves = [
    { ...of, lastDay: addDays(middle, -1) },
    { ...of, firstDay: middle },
  ];
  return (await Promise.all(halves.map((half) => listBlocks(list, half, max)))).flat();
}

/**
 * Returns the occurrences of the blocks in those days. Acuity lists a repeating block by its first occurrence; if it
 * lists each one, duplicates are removed.
 */
export function occurrences(
  blocks: Listed[],
  of: Days,
  zoneOf: (calendarId: number) => string | null,
): ProviderBlock[] {
  const all = blocks.flatMap((block) => timesOf(block, of, zoneOf(block.calendarId) ?? 'UTC'));
  return [...new Map(all.map((one) => [`${one.calendarId} ${+one.startAt} ${+one.endAt}`, one])).values()];
}

/** Repeats by the calendar's clock. The account's zone is unknown here, so one more day on either side is included. */
function timesOf({ calendarId, startAt, endAt, everyDays, lastDay }: Listed, of: Days, zone: string): ProviderBlock[] {
  if (everyDays === null) return [{ calendarId, startAt, endAt }];
  const from = Date.parse(of.firstDay) - DAY;
  const until = Date.parse(of.lastDay) + 2 * DAY;
  const first = toMinute(startAt);
  const found: ProviderBlock[] = [];
  for (let days = everyDays * Math.max(0, Math.floor((from - +endAt) / (everyDays * DAY))); ; days += everyDays) {
    const moved = first + (days * DAY) / MINUTE;
    const begins = fromMinute(moved + offsetAt(first, zone) - offsetAt(moved, zone));
    if (+begins >= until || (lastDay !== null && localDay(toMinute(begins), zone) > lastDay)) return found;
    const ends = new Date(+begins + (+endAt - +startAt));
    if (+ends > from) found.push({ calendarId, startAt: begins, endAt: ends });
  }
}
