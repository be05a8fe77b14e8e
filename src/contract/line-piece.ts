/** As many letters as are timed at once, each way, when a line is tried out: the door takes no body that is much longer. */
export const MOST_OF_A_PIECE = 48_000;
