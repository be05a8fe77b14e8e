/** Folds case, accents and width, so that "jose" finds "José". Applied to stored texts and to search words. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

const digits = (text: string): string => text.replace(/\D/g, '');

/** Returns the text that `search` matches: names, email, external id, and the digits of the phone numbers. */
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
 * Returns the words of a search with their variants: a part of a phone number also matches by its digits. Commas
 * separate words, because names are also written "Example, Ada".
 */
export function searchWords(search: string): string[][] {
  const words = fold(search)
    .split(/[\s,;]+/)
    .filter(Boolean);
  return words.map((word) => (/^[\d+().-]*\d[\d+().-]*$/.test(word) ? [...new Set([word, digits(word)])] : [word]));
}
