/** Folds case, accents and width, so that "jose" finds "José". Stored texts and searched words go through it alike. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

const digits = (text: string): string => text.replace(/\D/g, '');

/** What `search` looks through: names, e-mail, external id, and the digits of the phone numbers. */
export const searchText = (patient: {
  firstName: string | null;
  middleName: string | null;
  lastName: string | null;
  email: string | null;
  externalId: string | null;
  phoneNumbers: string[];
}): string => {
  const { firstName, middleName, lastName, email, externalId, phoneNumbers } = patient;
  const words = [firstName, middleName, lastName, email, externalId].filter((word) => word !== null);
  return [...words.map(fold), ...phoneNumbers.map(digits)].join(' ');
};

/**
 * The words of a search, each with its spellings: a piece of a phone number is looked for by its digits too. Names are
 * written "Example, Ada" as well, so that a comma parts words like a space.
 */
export function searchWords(search: string): string[][] {
  const words = fold(search)
    .split(/[\s,;]+/)
    .filter(Boolean);
  return words.map((word) => (/^[\d+().-]*\d[\d+().-]*$/.test(word) ? [...new Set([word, digits(word)])] : [word]));
}
