import type { SchedulingIssue } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { type KnownAccount, readKnownAccount } from '../catalogue/catalogue.ts';

type Row = Pick<Appointment, 'status' | 'endAt' | 'accountId' | 'calendarId'>;

const canHaveIssue = ({ status, endAt }: Row, now: Date): boolean => status === 'scheduled' && endAt > now;

/** Returns what prevents changes at the provider of a scheduled appointment that is not over, or null. */
export function schedulingIssueOf(row: Row, account: KnownAccount, now: Date): SchedulingIssue | null {
  if (!canHaveIssue(row, now)) return null;
  if (account.connection !== 'connected') return 'not_connected';
  // Without an `accountId`, the appointment is in the connected account.
  if (account.accountId !== null && row.accountId !== null && row.accountId !== account.accountId)
    return 'former_account';
  return account.calendarIds && !account.calendarIds.includes(row.calendarId) ? 'calendar_removed' : null;
}

/** The same for a single appointment; reads nothing for one that is over or canceled. */
export async function findSchedulingIssue(ctx: Context, row: Row): Promise<SchedulingIssue | null> {
  const now = ctx.clock.now();
  return canHaveIssue(row, now) ? schedulingIssueOf(row, await readKnownAccount(ctx), now) : null;
}

const PROVIDER = SCHEDULING_PROVIDER.name;

/** For staff users who reschedule an appointment while the provider is not connected. */
export const RESCHEDULE_AT_PROVIDER = `Move the appointment in ${PROVIDER} itself: it is moved here as well once ${PROVIDER} is connected again.`;

/** Reasons why an appointment cannot be rescheduled, with instructions. */
export const NOT_RESCHEDULABLE = {
  former_account: `This appointment is in an ${PROVIDER} account that is not connected any more, and what happens to it there is not seen here. Cancel it here and in that account, and book another.`,
  calendar_removed: `Its calendar is not in ${PROVIDER} any more. Cancel it and book another.`,
  not_offered: 'Its type or calendar is no longer offered. Cancel it and book another.',
  not_connected: `${PROVIDER} is not connected. ${RESCHEDULE_AT_PROVIDER}`,
};
