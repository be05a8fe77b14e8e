import type { Finding } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

const visitsToCome = (count: number): string => (count === 1 ? 'One visit to come is' : `${count} visits to come are`);

/** Visits to come on calendars that are gone from the connected account: nobody can move them, and perhaps nobody is there. */
export async function goneCalendarFindings(
  { db, tenantId, clock }: Pick<Context, 'db' | 'tenantId' | 'clock'>,
  { accountId, calendarIds }: { accountId: string; calendarIds: number[] },
): Promise<Finding[]> {
  // Without any calendar, that is the finding.
  if (calendarIds.length === 0) return [];
  const of = { tenantId, accountId, status: 'scheduled', startAt: { gt: clock.now() } };
  const gone = await db.appointment.groupBy({
    by: ['calendarId', 'calendar'],
    where: { ...of, calendarId: { notIn: calendarIds } },
    _count: true,
    orderBy: { calendarId: 'asc' },
  });
  if (gone.length === 0) return [];
  const count = gone.reduce((sum, { _count }) => sum + _count, 0);
  const names = [...new Set(gone.map(({ calendar }) => calendar))].join(', ');
  return [
    {
      code: 'visits_without_calendar',
      message: `${visitsToCome(count)} on a calendar that Acuity has no more (${names}), and cannot be moved here.`,
      fix: 'Find them under Appointments, cancel each, and book it anew with somebody else.',
    },
  ];
}

/** Visits to come that are in an account which is not connected any more. */
export async function formerFindings(
  { db, tenantId, clock }: { db: Pick<Tx, 'appointment'>; tenantId: string; clock: Context['clock'] },
  accountId: string,
): Promise<Finding[]> {
  const count = await db.appointment.count({
    where: {
      tenantId,
      status: 'scheduled',
      startAt: { gt: clock.now() },
      AND: [{ accountId: { not: null } }, { accountId: { not: accountId } }],
    },
  });
  if (count === 0) return [];
  return [
    {
      code: 'former_account',
      message: `${visitsToCome(count)} in an Acuity account that is not connected any more. What happens to them there is not seen here.`,
      fix: 'Cancel them here, in the former account too, and book them anew.',
    },
  ];
}
