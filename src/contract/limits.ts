/** Maximum length of a cancellation reason, in characters. */
export const MAX_REASON_LENGTH = 500;

/** Of the reasons that a clinic offers its staff: how many, and the length of each in characters. */
export const MAX_CANCEL_REASONS = 20;
export const MAX_CANCEL_REASON_LENGTH = 100;

/** Maximum length of a note, in characters. */
export const MAX_NOTE_LENGTH = 10_000;

/** Of what a patient said about messages, and of how staff identified a patient, in characters. */
export const MAX_WORDS_LENGTH = 500;
export const MAX_IDENTITY_CHECK_LENGTH = 500;

/** Maximum length of a plan's description, in characters. */
export const MAX_PLAN_DESCRIPTION_LENGTH = 1000;

/**
 * Size of the body that is timed in each direction during a connection test, in characters; close to the handler's
 * limit.
 */
export const MAX_LINE_TEST_LENGTH = 48_000;

export const LOGO_BYTES = 256_000;
export const LOGO_TOO_LARGE = 'This picture is larger than 256 kB. Save it smaller, and try again.';

/** How many calls the portal sends in one request at most. */
export const MAX_BATCHED_CALLS = 20;

/** A visit can begin this many minutes early: its room is open, and it may be noted that it took place. */
export const EARLY_MINUTES = 15;
/** The room of a visit closes this many minutes after its end. */
export const OVERTIME_MINUTES = 60;
/** A patient who has not joined after this many minutes is listed as a likely no-show. */
export const LATE_MINUTES = 15;
/** Time in which a check-in, a completion or a no-show can be undone. */
export const UNDO_MARK_MINUTES = 10;
/** Upper limit: more appointments than one list starts on a day. */
export const MAX_ATTENDANCE_ITEMS = 200;
/** Appointments of one request for flags; more are requested in parts. */
export const MAX_FLAG_ITEMS = 200;
