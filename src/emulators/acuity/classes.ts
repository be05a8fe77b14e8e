import type { Call } from './call.ts';
import { acuityError } from './errors.ts';
import { dateOf, flagOf, idOf, rejectUnknown, textOf, type Values, zoneOf } from './params.ts';
import type { Account, Appointment, ClassTime } from './state.ts';
import { addDays, formatInstant, isDate, localDate, startOfDay } from './zone.ts';

const PARAMETERS = [
  'month',
  'minDate',
  'maxDate',
  'appointmentTypeID',
  'calendarID',
  'timezone',
  'includeUnavailable',
  'includePrivate',
];

/** Returns the number of free places of a class. Appointments in `ignore` do not count. */
export function placesLeft(account: Account, { id, typeId }: ClassTime, ignore: number[] = []): number {
  const size = account.types.find((type) => type.id === typeId)?.classSize ?? 1;
  const booked = account.appointments.filter(
    (each) => each.classId === id && !each.canceled && !ignore.includes(each.id),
  );
  return Math.max(0, size - booked.length);
}

/** Returns the class with this appointment type, calendar and start, or null for a service. */
export const classAt = (
  { classes }: Account,
  { typeId, calendarId, startAt }: Pick<Appointment, 'typeId' | 'calendarId' | 'startAt'>,
): ClassTime | null =>
  classes.find((each) => each.typeId === typeId && each.calendarId === calendarId && each.startAt === startAt) ?? null;

/**
 * Lists class times of a month (which takes precedence) or between two dates, both inclusive; by
 * default from today. Includes full, past and private classes only on request.
 */
export function listClasses({ account, now }: Call, query: Values) {
  rejectUnknown(query, PARAMETERS);
  const zone = zoneOf(query, account.timezone);
  const { from, until } = readRange(query, zone, now);
  const typeId = idOf(query, 'appointmentTypeID');
  const calendarId = idOf(query, 'calendarID');
  const withFull = flagOf(query, 'includeUnavailable');
  const withPrivate = flagOf(query, 'includePrivate');
  return account.classes
    .filter((each) => each.startAt >= from && each.startAt < until)
    .filter((each) => typeId === null || each.typeId === typeId)
    .filter((each) => calendarId === null || each.calendarId === calendarId)
    .flatMap((each) => {
      const type = account.types.find(({ id }) => id === each.typeId);
      const slotsAvailable = each.startAt > now ? placesLeft(account, each) : 0;
      if (!type?.active || type.deleted || (type.private && !withPrivate) || (slotsAvailable === 0 && !withFull))
        return [];
      return {
        id: each.id,
        appointmentTypeID: each.typeId,
        calendarID: each.calendarId,
        name: type.name,
        description: type.description,
        time: formatInstant(each.startAt, zone),
        calendar: account.calendars.find(({ id }) => id === each.calendarId)?.name ?? '',
        duration: type.duration,
        isSeries: type.kind === 'series',
        slots: type.classSize ?? 1,
        slotsAvailable,
      };
    })
    .sort((a, b) => a.id - b.id)
    .sort((a, b) => Date.parse(toIsoOffset(a.time)) - Date.parse(toIsoOffset(b.time)));
}

/** Inserts the colon that `Date.parse` requires in the offset. */
const toIsoOffset = (time: string) => time.replace(/(\d{2})$/, ':$1');

function readRange(query: Values, zone: string, now: number): { from: number; until: number } {
  const month = textOf(query, 'month');
  if (month !== '') {
    if (!isDate(`${month}-01`)) throw acuityError('bad_request', '"month" must be YYYY-MM.');
    let after = `${month}-28`;
    while (after.startsWith(month)) after = addDays(after, 1);
    return { from: startOfDay(`${month}-01`, zone), until: startOfDay(after, zone) };
  }
  const minDate = dateOf(query, 'minDate') ?? localDate(now, zone);
  const maxDate = dateOf(query, 'maxDate');
  const until = maxDate ? startOfDay(addDays(maxDate, 1), zone) : Number.POSITIVE_INFINITY;
  return { from: startOfDay(minDate, zone), until };
}
