/** Maximum length of a staff note, in characters. */
export const MOST_OF_A_NOTE = 2000;
