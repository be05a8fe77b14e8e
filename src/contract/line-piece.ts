/**
 * Size of the body that is timed in each direction during a connection test, in characters; close to the handler's
 * limit.
 */
export const MOST_OF_A_PIECE = 48_000;
