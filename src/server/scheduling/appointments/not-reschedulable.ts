import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** For staff users who reschedule an appointment while the provider is not connected. */
export const RESCHEDULE_AT_PROVIDER = `Move the visit in ${PROVIDER} itself: it is moved here as well once ${PROVIDER} is connected again.`;

/** Reasons why an appointment cannot be rescheduled, with instructions. */
export const NOT_RESCHEDULABLE = {
  former_account: `This visit is in an ${PROVIDER} account that is not connected any more, and what happens to it there is not seen here. Cancel it here and in that account, and book another.`,
  calendar_removed: `Its calendar is not in ${PROVIDER} any more. Cancel it and book another.`,
  not_offered: 'Its type or calendar is no longer offered. Cancel it and book another.',
  not_connected: `${PROVIDER} is not connected. ${RESCHEDULE_AT_PROVIDER}`,
};
