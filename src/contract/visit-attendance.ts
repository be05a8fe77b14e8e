/** Late by so much, a patient whom nobody has seen is thought not to come. */
export const LATE_MINUTES = 15;
/** More visits than one list has begun on a day. */
export const ATTENDANCE_AT_ONCE = 200;
