const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const A_DATE = 'a date such as 2026-11-23';
const AN_INSTANT = 'an instant such as 2026-11-23T09:00:00-05:00';

/** Whether there is such a day at all, in words if not; null for what is no date or one that exists. */
function whyNoDay(text: string): string | null {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === '') return null;
  const name = MONTHS[Number(month) - 1];
  if (!name) return `there is no month ${month}`;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(day) < 1 || Number(day) > days ? `there is no ${Number(day)} ${name} ${year}` : null;
}

/** Why a text is no `YYYY-MM-DD`. */
export const whyNoDate = (text: string): string => whyNoDay(text) ?? `must be ${A_DATE}`;

/** Why a text is no instant of RFC 3339 with an offset. */
export function whyNoInstant(text: string): string {
  const [date = '', time] = text.split('T', 2);
  const noDay = whyNoDay(date);
  if (noDay) return noDay;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return `must be ${AN_INSTANT}`;
  if (time === undefined) return `must have a time too, as in 2026-11-23T09:00:00-05:00`;
  if (/ \d{2}:?\d{2}$/.test(time)) return 'has a space where its offset begins: in an address, write + as %2B';
  if (/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(time)) return 'must end in an offset such as -05:00, or in Z';
  return `must be ${AN_INSTANT}`;
}

/** Why a text is neither. */
export const whyNeither = (text: string): string =>
  text.includes('T') ? whyNoInstant(text) : (whyNoDay(text) ?? `must be ${A_DATE}, or ${AN_INSTANT}`);

/** What a schema says of what it refuses: a text, or what is none, as a parameter that is given twice. */
export const saying = (why: (text: string) => string) => ({
  error: ({ input }: { input?: unknown }) => why(typeof input === 'string' ? input : ''),
});
