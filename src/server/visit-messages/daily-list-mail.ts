import type { Letterhead } from '#server/clinic/letterhead.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { addDays, type Day, fromMinute, startOfDay } from '#server/core/zone.ts';
import { letterOf } from '#server/messages/templates/letter.ts';

type OfDay = { tenantId: string; userId: string; day: Day; zone: string };
type VisitOfDay = Awaited<ReturnType<typeof visitsOfDay>>[number];

/** Returns a staff user's own appointments that start on a day of that zone, in order. */
export const visitsOfDay = (tx: Tx, { tenantId, userId, day, zone }: OfDay) =>
  tx.appointment.findMany({
    where: {
      ...{ tenantId, practitionerId: userId, status: 'scheduled' },
      startAt: { gte: fromMinute(startOfDay(day, zone)), lt: fromMinute(startOfDay(addDays(day, 1), zone)) },
    },
    orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
    select: {
      ...{ startAt: true, endAt: true, appointmentType: true, patientId: true },
      patient: { select: { firstName: true, lastName: true } },
    },
  });

/** Some mail programs show the narrow no-break space before AM as a box. */
const format = (at: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-US', options).format(at).replaceAll('\u202f', ' ');

/**
 * Composes the email with a staff user's appointments of the day; it names patients only when the settings allow it. In
 * English, as the portal is: staff users have no language setting, and the tenant's language is for messages to
 * patients.
 */
export function composeList(
  { config }: Pick<Context, 'config'>,
  { day, zone, visits, says }: { day: Day; zone: string; visits: VisitOfDay[]; says: boolean },
  letterhead: Letterhead,
) {
  const timeOf = (at: Date) => format(at, { timeZone: zone, hour: 'numeric', minute: '2-digit' });
  const name = format(new Date(`${day}T00:00Z`), { timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric' });
  const count = visits.length === 0 ? 'no visits' : visits.length === 1 ? '1 visit' : `${visits.length} visits`;
  const lineOf = ({ startAt, endAt, appointmentType, patient }: VisitOfDay) => {
    const who = says ? [patient.firstName, patient.lastName].filter(Boolean).join(' ') : '';
    return `${timeOf(startAt)} to ${timeOf(endAt)}: ${[appointmentType, who].filter(Boolean).join(', ')}`;
  };
  const parts = [
    `You have ${count} on ${name}. Times are those of ${zone}.`,
    ...visits.map(lineOf),
    'This day in your calendar:',
    { url: `${config.publicUrl}/calendar?day=${day}` },
    'You get this because you asked for it under Your account, where you can end it.',
  ];
  return letterOf(
    { subject: `${letterhead.clinic}: ${count} on ${name}`, parts, isToPatient: false },
    letterhead.clinic,
    letterhead,
  );
}
