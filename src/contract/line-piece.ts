/**
 * Size of the body that is timed in each direction during a connection test, in characters; close to the handler's
 * limit.
 */
export const MAX_LINE_TEST_LENGTH = 48_000;
