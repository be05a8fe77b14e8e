import { z } from 'zod';
import { canonicalLanguage } from './languages.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const A_DATE = 'a date such as 2026-11-23';
const AN_INSTANT = 'an instant such as 2026-11-23T09:00:00-05:00';

/** Returns the reason when a date has the right shape but does not exist; null for any other text. */
function nonexistentDay(value: string): string | null {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (year === '') return null;
  const name = MONTHS[Number(month) - 1];
  if (!name) return `there is no month ${month}`;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(day) < 1 || Number(day) > days ? `there is no ${Number(day)} ${name} ${year}` : null;
}

/** Returns why a text is not a `YYYY-MM-DD` date. */
const dateError = (value: string): string => nonexistentDay(value) ?? `must be ${A_DATE}`;

/** Returns why a text is not an RFC 3339 instant with an offset. */
function instantError(value: string): string {
  const [date = '', time] = value.split('T', 2);
  const noDay = nonexistentDay(date);
  if (noDay) return noDay;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return `must be ${AN_INSTANT}`;
  if (time === undefined) return `must have a time too, as in 2026-11-23T09:00:00-05:00`;
  if (/ \d{2}:?\d{2}$/.test(time)) return 'has a space where its offset begins: in an address, write + as %2B';
  if (/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(time)) return 'must end in an offset such as -05:00, or in Z';
  return `must be ${AN_INSTANT}`;
}

/** Returns why a text is neither a date nor an instant. */
const dateOrInstantError = (value: string): string =>
  value.includes('T') ? instantError(value) : (nonexistentDay(value) ?? `must be ${A_DATE}, or ${AN_INSTANT}`);

/**
 * Builds a schema's error message from the rejected text; input that is not text (a repeated parameter) counts as
 * empty.
 */
const withError = (why: (value: string) => string) => ({
  error: ({ input }: { input?: unknown }) => why(typeof input === 'string' ? input : ''),
});

/** Version of the public API; each webhook delivery states the version that it was made with. */
export const CONTRACT_VERSION = '1.0.0';

/** Our own ids: UUIDv7, lower case. */
export const Id = z.uuid().toLowerCase().meta({ description: 'UUIDv7.' });
/** Longer than any valid instant. Longer texts are rejected before the regular expressions run. */
const LONGEST_INSTANT = 64;
/** Converts the ISO 8601 offset `-0500` to RFC 3339 (`2026-11-23T09:00:00-05:00`). */
const withColon = (text: string): string =>
  text.length > LONGEST_INSTANT ? text : text.replace(/(T.*[+-]\d{2})(\d{2})$/, '$1:$2');
const EARLIEST = '0001-01-01T00:00:00Z';
const LATEST = '9999-12-31T23:59:59.999Z';
/** An offset can move an instant out of the years that PostgreSQL's text format has; it becomes the nearest one. */
const withinYears = (text: string): string => {
  const at = Date.parse(text);
  if (at < Date.parse(EARLIEST)) return EARLIEST;
  return at > Date.parse(LATEST) ? LATEST : text;
};
/** A UTC instant with `Z`. */
export const UtcInstant = z.iso
  .datetime()
  .meta({ description: 'RFC 3339, in UTC.', examples: ['2026-11-16T15:04:05.000Z'] });
/** An instant with any offset. */
export const Instant = z
  .string()
  .overwrite(withColon)
  .pipe(z.iso.datetime({ offset: true, ...withError(instantError) }).overwrite(withinYears))
  .meta({
    override: { type: 'string', format: 'date-time' },
    description: 'RFC 3339, with any offset; `-0500` without the colon is accepted too.',
  });
export const LocalDate = z.iso.date(withError(dateError)).meta({ description: 'YYYY-MM-DD.' });
/** A whole local day, or an instant. */
export const DateOrInstant = z.union([LocalDate, Instant], withError(dateOrInstantError));
/** NUL characters and unpaired surrogates are valid in JSON, but PostgreSQL cannot store them. */
export const isStorable = (value: string): boolean => !value.includes('\u0000') && !/\p{Surrogate}/u.test(value);
const NOT_STORABLE = 'must not contain NUL characters or unpaired surrogates';
/** Text that PostgreSQL can store or compare. */
export const storable = (max: number) => z.string().max(max).refine(isStorable, NOT_STORABLE);
/** Free text, trimmed and not empty. */
export const text = (max: number) => z.string().trim().min(1).max(max).refine(isStorable, NOT_STORABLE);

const NO_INTEGER = 'must be an integer';
/** An integer; in a query string it is passed as digits. */
export const integer = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^-?\d{1,15}$/, NO_INTEGER)], NO_INTEGER)
    .transform(Number)
    .pipe(z.int(NO_INTEGER).min(min, `must be ${min} or more`).max(max, `must be ${max} or less`))
    .meta({ override: { type: 'integer', minimum: min, maximum: max } });

/** A boolean; in a query string it is passed as `true` or `false`. */
export const flag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], {
    error: 'must be true or false',
  })
  .meta({ override: { type: 'boolean' } });

/** The integer id of an object at a provider. */
export const ProviderId = integer(1, 2_147_483_647);

const isTimeZone = (zone: string) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone.includes('/') || zone === 'UTC';
  } catch {
    return false;
  }
};
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone such as America/New_York')
  .meta({ description: 'IANA time zone.', examples: ['America/New_York'] });

/** Stored in canonical form. */
export const Language = z
  .string()
  .max(35)
  .refine((tag) => canonicalLanguage(tag) !== null, 'Choose a language by its tag (BCP 47), such as es or de-AT.')
  .overwrite((tag) => canonicalLanguage(tag) ?? tag)
  .meta({ description: 'BCP 47 language tag.', examples: ['es-US'] });

/** A JSON object of at most 16 KiB. */
export const Metadata = z
  .record(z.string().max(255), z.json())
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= 16_384, 'must be at most 16 KiB')
  .refine((value) => !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value).replaceAll('\\\\', '')), NOT_STORABLE)
  .meta({ type: 'object', additionalProperties: true, description: 'Your own JSON, at most 16 KiB.' });

export const page = integer(1, 1_000_000).optional();

/** Cursor paging. */
export const CursorPaging = {
  size: integer(1, 1000).optional().meta({ description: 'Maximum number of items; the default is 20.' }),
  starting_after: z.string().max(255).optional().meta({ description: 'An `id`; the page starts after it.' }),
  ending_before: z.string().max(255).optional().meta({ description: 'An `id`; the page ends before it.' }),
};

/** Cursors, or numbered pages with totals. */
export const NumberedPaging = {
  ...CursorPaging,
  page: page.meta({ description: 'A numbered page instead of a cursor; adds the totals.' }),
};

/** Paging of our own lists: additionally with a total on request. */
export const Paging = {
  ...NumberedPaging,
  with_total: flag.optional().meta({
    description: 'Adds the total number of items, counted up to 10,000; the cost does not depend on the page.',
  }),
};

const ofWhole = integer(1, 1000).optional().meta({ description: 'Maximum number of items; the default is all.' });
/** Paging of short lists that a provider returns: complete unless `size` is set. */
export const WholePaging = { ...NumberedPaging, size: ofWhole };

/** Paging of lists without cursors: complete by default; the REST handler cuts out the requested page. */
export const PARTS = {
  size: ofWhole,
  page: page.meta({ description: 'A numbered page, of 20 items unless `size` is set; adds the totals.' }),
};

export const DEFAULT_PAGE_SIZE = 20;
/** Limit of `with_total`: a total costs the same in a small clinic as in a large one. */
export const MAX_COUNTED = 10_000;

/**
 * One page of a list. The REST handler sends `items` as the body and the rest as headers: `Link`; with `page` also
 * `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items`; with `with_total` only `Total-Count`. The portal gets
 * the whole object.
 */
export type Page<T> = {
  items: T[];
  /** Id to pass as `starting_after` for the next page, or null at the end. */
  next: string | null;
  /** Id to pass as `ending_before` for the previous page, or null at the start. */
  prev: string | null;
  totals?: { count: number; pages: number; page: number };
  /** With `with_total`; `capped` when there are more than were counted. */
  total?: { count: number; capped: boolean };
};

/** One or more values of an enum, comma-separated or repeated; any of them matches. */
export const anyOf = <Word extends string>(values: z.ZodEnum<{ [Each in Word]: Each }>) =>
  z
    .union([z.string().max(200), z.array(z.string().max(200)).max(20)])
    .transform((value, ctx) => {
      const named = [value].flat().flatMap((csv) => csv.split(',').map((word) => word.trim()));
      const wrong = named.find((word) => !values.safeParse(word).success);
      if (wrong === undefined) return [...new Set(named)] as Word[];
      ctx.addIssue({ code: 'custom', message: `must be any of ${values.options.join(', ')}, comma-separated` });
      return z.NEVER;
    })
    .meta({ override: { type: 'string' } });

/** The start or end of a slot or appointment: RFC 3339 with the offset of the calendar's zone. */
export const ZonedInstant = z.iso
  .datetime({ offset: true })
  .meta({ description: "RFC 3339, with the offset of the calendar's time zone." });
