/** Seconds since the last heartbeat within which a seat counts as present. */
export const PRESENT_WITHIN_S = 15;
/** Seconds since the last heartbeat after which a seat counts as abandoned and can be taken. */
export const ABANDONED_AFTER_S = 60;
