import type { DocPage } from '../documentation.ts';

/** The date range and the Monday of the examples, and their clinic's zone. */
const EXAMPLE_DATES = { monday: Date.UTC(2026, 10, 23), from: Date.UTC(2026, 10, 1), to: Date.UTC(2027, 2, 1) };
const CLINIC_ZONE = 'America/New_York';
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** An ISO 8601 date, alone or with a time; not part of a longer word. */
const DATE = /(?<![\w-])(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d))?(?![\w-])/g;

/** The offset in whole weeks that moves the examples' Monday to the next Monday, so that weekdays stay. */
const shiftTo = (now: Date): number => (Math.floor((now.getTime() - EXAMPLE_DATES.monday) / WEEK_MS) + 1) * WEEK_MS;

/** The clinic's UTC offset on a day at noon, for example `-05:00`. */
function offsetOn(day: number, format: Intl.DateTimeFormat): string {
  const name = format.formatToParts(day + DAY_MS / 2).find(({ type }) => type === 'timeZoneName');
  if (!name) throw new Error(`${CLINIC_ZONE} has no UTC offset`);
  return name.value.replace('GMT', '');
}

/**
 * Moves the dates of the examples, so that future appointments are in the future for every reader. Dates outside the
 * range, such as birth dates, stay.
 */
export function shiftDates(text: string, now: Date): string {
  const shift = shiftTo(now);
  const format = new Intl.DateTimeFormat('en-US', { timeZone: CLINIC_ZONE, timeZoneName: 'longOffset' });
  return text.replace(DATE, (match, date: string, time = '', offset = '') => {
    const day = Date.parse(`${date}T00:00:00Z`);
    if (!(day >= EXAMPLE_DATES.from && day < EXAMPLE_DATES.to)) return match;
    const moved = day + shift;
    const local = offset === '' || offset === 'Z' ? offset : offsetOn(moved, format);
    return new Date(moved).toISOString().slice(0, 10) + time + (offset.includes(':') ? local : local.replace(':', ''));
  });
}

/** Moves the dates of a page. Package pages stay, because the dates of their changelogs are real. */
export const shiftPageDates = (page: DocPage, now: Date): DocPage =>
  page.heading === 'Packages' ? page : (JSON.parse(shiftDates(JSON.stringify(page), now)) as DocPage);
