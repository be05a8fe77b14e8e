/** Maximum length of a cancellation reason, in characters. */
export const MOST_OF_A_REASON = 500;
