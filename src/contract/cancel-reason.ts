/** How long a reason for a cancellation may be. */
export const MOST_OF_A_REASON = 500;
