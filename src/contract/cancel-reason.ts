/** Maximum length of a cancellation reason, in characters. */
export const MAX_REASON_LENGTH = 500;
