/** Maximum length of a staff note, in characters. */
export const MAX_NOTE_LENGTH = 2000;
