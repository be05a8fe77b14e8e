const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const A_DATE = 'a date such as 2026-11-23';
const AN_INSTANT = 'an instant such as 2026-11-23T09:00:00-05:00';

/** Returns the reason when a date has the right shape but does not exist; null for any other text. */
function whyNoDay(text: string): string | null {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === '') return null;
  const name = MONTHS[Number(month) - 1];
  if (!name) return `there is no month ${month}`;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(day) < 1 || Number(day) > days ? `there is no ${Number(day)} ${name} ${year}` : null;
}

/** Returns why a text is not a `YYYY-MM-DD` date. */
export const dateError = (text: string): string => whyNoDay(text) ?? `must be ${A_DATE}`;

/** Returns why a text is not an RFC 3339 instant with an offset. */
export function instantError(text: string): string {
  const [date = '', time] = text.split('T', 2);
  const noDay = whyNoDay(date);
  if (noDay) return noDay;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return `must be ${AN_INSTANT}`;
  if (time === undefined) return `must have a time too, as in 2026-11-23T09:00:00-05:00`;
  if (/ \d{2}:?\d{2}$/.test(time)) return 'has a space where its offset begins: in an address, write + as %2B';
  if (/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(time)) return 'must end in an offset such as -05:00, or in Z';
  return `must be ${AN_INSTANT}`;
}

/** Returns why a text is neither a date nor an instant. */
export const dateOrInstantError = (text: string): string =>
  text.includes('T') ? instantError(text) : (whyNoDay(text) ?? `must be ${A_DATE}, or ${AN_INSTANT}`);

/**
 * Builds a schema's error message from the rejected text; input that is not text (a repeated parameter) counts as
 * empty.
 */
export const withError = (why: (text: string) => string) => ({
  error: ({ input }: { input?: unknown }) => why(typeof input === 'string' ? input : ''),
});
