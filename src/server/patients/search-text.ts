/** Folds case, accents and width, so that "jose" finds "José". Applied to stored texts and to search words. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

const digits = (text: string): string => text.replace(/\D/g, '');

/** Returns the text that `search` matches: names, email, external id, the digits of the phone numbers, and tags. */
export const searchText = (patient: {
  firstName: string | null;
  middleName: string | null;
  lastName: string | null;
  email: string | null;
  externalId: string | null;
  tagList: string[];
  phoneNumbers: string[];
}): string => {
  const { firstName, middleName, lastName, email, externalId, tagList, phoneNumbers } = patient;
  const words = [firstName, middleName, lastName, email, externalId].filter((word) => word !== null);
  return [...words.map(fold), ...phoneNumbers.map(digits), ...tagList.map(fold)].join(' ');
};

/** What a search asks for: each of the words in one of its spellings, and each of the dates of birth, or its text. */
export type Search = { words: string[][]; birthDates: { text: string; days: string[] }[] };

/** A letter may become many by folding. */
const MAX_LENGTH = 400;
const MAX_WORDS = 20;

/**
 * Reads a search. A part of a phone number also matches by its digits. Commas separate words, because names are also
 * written "Example, Ada". A date of birth may be written as 1980-03-01, 03/01/1980, 1.3.1980, 1 March 1980 or Mar 1, 1980;
 * where the order of day and month is not clear, both are meant.
 */
export function readSearch(search: string, today: string): Search {
  const birthDates: Search['birthDates'] = [];
  const rest = DATE_FORMS.reduce(
    (text, { form, days }) =>
      text.replace(form, (match, ...parts: string[]) => {
        const found = [...new Set(days(parts))].filter((day) => isBirthDate(day, today));
        if (found.length === 0) return match;
        birthDates.push({ text: match, days: found });
        return ' ';
      }),
    fold(search).slice(0, MAX_LENGTH),
  );
  const words = rest
    .split(/[\s,;]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  return {
    birthDates,
    words: words.map((word) => (/^[\d+().-]*\d[\d+().-]*$/.test(word) ? [...new Set([word, digits(word)])] : [word])),
  };
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
/** The number of a month by the beginning of its name. */
const monthOf = (name = ''): string => String(MONTHS.findIndex((month) => month.startsWith(name)) + 1);

const two = (number: string | number): string => String(number).padStart(2, '0');
/** A year of two digits is of this century or of the last one. */
const dayOf = (year = '', month = '', day = ''): string[] =>
  (year.length === 2 ? [`19${year}`, `20${year}`] : [year]).map((full) => `${full}-${two(month)}-${two(day)}`);

const whole = (form: string) => new RegExp(`(?<![^\\s,;])${form}(?=[.]?(?:[\\s,;]|$))`, 'g');
type DateForm = { form: RegExp; days: (parts: string[]) => string[] };
const DATE_FORMS: DateForm[] = [
  { form: whole('(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})'), days: ([year, month, day]) => dayOf(year, month, day) },
  {
    form: whole('(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})'),
    days: ([first, mark, second, year]) => [
      ...(mark === '.' ? [] : dayOf(year, first, second)),
      ...dayOf(year, second, first),
    ],
  },
  {
    form: whole('(\\d{1,2})(?:st|nd|rd|th)?[.\\s-]+([a-z]{3,9})\\.?[,\\s-]+(\\d{4})'),
    days: ([day, month, year]) => dayOf(year, monthOf(month), day),
  },
  {
    form: whole('([a-z]{3,9})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})'),
    days: ([month, day, year]) => dayOf(year, monthOf(month), day),
  },
];

/** Whether the day exists, is not ahead, and may be on record: records from before the limit of 1900 stay. */
function isBirthDate(day: string, today: string): boolean {
  if (day < '1850-01-01' || day > today) return false;
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
