/** Somebody who goes away without a word makes no news: while one waits, it is looked often. */
const WHILE_WAITING_MS = 10_000;
/** Who comes is told at once; this is for a line to the service that has died unnoticed. */
const OTHERWISE_MS = 20_000;

/** After how many milliseconds it is asked anew who waits; `waiting` is undefined before the first answer. */
export const lookAgainIn = (waiting: readonly unknown[] | undefined): number =>
  waiting?.length ? WHILE_WAITING_MS : OTHERWISE_MS;
