import type { DocPage } from '../documentation.ts';

/** The Monday on which the examples' story is told, and the zone of its clinic. */
const STORY = { monday: Date.UTC(2026, 10, 23), from: Date.UTC(2026, 10, 1), to: Date.UTC(2027, 2, 1) };
const CLINIC_ZONE = 'America/New_York';
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** A date of ISO 8601, alone or with a time; no part of a longer word. */
const DATE = /(?<![\w-])(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d))?(?![\w-])/g;

/** How far the story is moved: by whole weeks, so that its Monday is the next one to come, and its weekdays stay. */
const shiftTo = (now: Date): number => (Math.floor((now.getTime() - STORY.monday) / WEEK_MS) + 1) * WEEK_MS;

/** The clinic's offset on a day at noon, as `-05:00`. */
function offsetOn(day: number, format: Intl.DateTimeFormat): string {
  const name = format.formatToParts(day + DAY_MS / 2).find(({ type }) => type === 'timeZoneName');
  return name!.value.replace('GMT', '');
}

/**
 * A text whose story is told from today: what lies ahead in it lies ahead, whenever it is read. Dates outside of the story,
 * such as births, stay.
 */
export function fromToday(text: string, now: Date): string {
  const shift = shiftTo(now);
  const format = new Intl.DateTimeFormat('en-US', { timeZone: CLINIC_ZONE, timeZoneName: 'longOffset' });
  return text.replace(DATE, (whole, date: string, time = '', offset = '') => {
    const day = Date.parse(`${date}T00:00:00Z`);
    if (!(day >= STORY.from && day < STORY.to)) return whole;
    const moved = day + shift;
    const local = offset === '' || offset === 'Z' ? offset : offsetOn(moved, format);
    return new Date(moved).toISOString().slice(0, 10) + time + (offset.includes(':') ? local : local.replace(':', ''));
  });
}

/** A page as it reads today. What packages say of themselves, their changelogs' days among it, happened when it did. */
export const pageFromToday = (page: DocPage, now: Date): DocPage =>
  page.heading === 'Packages' ? page : (JSON.parse(fromToday(JSON.stringify(page), now)) as DocPage);
