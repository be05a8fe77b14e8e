import type { SchedulingIssue } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { type KnownAccount, readKnownAccount } from '../catalogue/known-account.ts';

type Row = Pick<Appointment, 'status' | 'endAt' | 'accountId' | 'calendarId'>;

const canHaveIssue = ({ status, endAt }: Row, now: Date): boolean => status === 'scheduled' && endAt > now;

/** Returns what prevents changes at the provider of a scheduled appointment that is not over, or null. */
export function schedulingIssueOf(row: Row, known: KnownAccount, now: Date): SchedulingIssue | null {
  if (!canHaveIssue(row, now)) return null;
  if (known.connection !== 'connected') return 'not_connected';
  // Without an `accountId`, the appointment is in the connected account.
  if (known.accountId !== null && row.accountId !== null && row.accountId !== known.accountId) return 'former_account';
  return known.calendarIds && !known.calendarIds.includes(row.calendarId) ? 'calendar_removed' : null;
}

/** The same for a single appointment; reads nothing for one that is over or canceled. */
export async function findSchedulingIssue(ctx: Context, row: Row): Promise<SchedulingIssue | null> {
  const now = ctx.clock.now();
  return canHaveIssue(row, now) ? schedulingIssueOf(row, await readKnownAccount(ctx), now) : null;
}
