import type { Finding } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

const visitsToCome = (count: number): string => (count === 1 ? 'One visit to come is' : `${count} visits to come are`);

/**
 * Future appointments on calendars that the connected account no longer has: they cannot be rescheduled, and may lack a
 * practitioner.
 */
export async function missingCalendarFindings(
  { db, tenantId, clock }: Pick<Context, 'db' | 'tenantId' | 'clock'>,
  { accountId, calendarIds }: { accountId: string; calendarIds: number[] },
): Promise<Finding[]> {
  // When there is no calendar at all, that is the finding.
  if (calendarIds.length === 0) return [];
  const of = { tenantId, accountId, status: 'scheduled', startAt: { gt: clock.now() } };
  const missing = await db.appointment.groupBy({
    by: ['calendarId'],
    where: { ...of, calendarId: { notIn: calendarIds } },
    _count: true,
    _max: { calendar: true },
    orderBy: { calendarId: 'asc' },
  });
  return missing.map(({ calendarId, _count, _max }) => {
    const name = _max.calendar ?? String(calendarId);
    return {
      code: 'visits_without_calendar',
      message: `${visitsToCome(_count)} on a calendar that Acuity has no more (${name}), and cannot be moved here.`,
      object: { type: 'Calendar', id: String(calendarId), name },
      fix: 'Cancel each under Appointments, and book it again with another practitioner.',
      link: { label: 'Open Appointments', url: `/appointments?with=${calendarId}` },
    };
  });
}

/** Future appointments in accounts that are not connected any more. */
export async function formerAccountFindings(
  { db, tenantId, clock }: { db: Pick<Tx, 'appointment'>; tenantId: string; clock: Context['clock'] },
  accountId: string,
): Promise<Finding[]> {
  const former = await db.appointment.groupBy({
    by: ['accountId'],
    where: {
      tenantId,
      status: 'scheduled',
      startAt: { gt: clock.now() },
      AND: [{ accountId: { not: null } }, { accountId: { not: accountId } }],
    },
    _count: true,
    orderBy: { accountId: 'asc' },
  });
  return former.map(({ accountId: id, _count }) => ({
    code: 'former_account',
    message: `${visitsToCome(_count)} in an Acuity account that is not connected any more. What happens to them there is not seen here.`,
    object: { type: 'Account', id, name: String(id) },
    fix: 'Cancel them here, in the former account too, and book them again.',
    link: { label: 'Open Appointments', url: '/appointments?issue=former_account' },
  }));
}
