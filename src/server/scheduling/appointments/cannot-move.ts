/** For staff who have to reschedule an appointment while Acuity is not connected. */
export const MOVE_IN_ACUITY =
  'Move the visit in Acuity itself: it is moved here as well once Acuity is connected again.';

/** Why an appointment cannot be rescheduled, with what to do instead. */
export const CANNOT_MOVE = {
  former_account:
    'This visit is in an Acuity account that is not connected any more, and what happens to it there is not seen here. Cancel it here and in that account, and book another.',
  calendar_removed: 'Its calendar is not in Acuity any more. Cancel it and book another.',
  not_offered: 'Its type or calendar is no longer offered. Cancel it and book another.',
  not_connected: `Acuity is not connected. ${MOVE_IN_ACUITY}`,
};
