/** A patient who has not joined after this many minutes is listed as a likely no-show. */
export const LATE_MINUTES = 15;
/** Upper limit: more appointments than one list starts on a day. */
export const MAX_ATTENDANCE_ITEMS = 200;
