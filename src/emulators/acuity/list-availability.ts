import { addonsOf, type Call, calendarOf, typeOf } from './call.ts';
import { acuityError } from './errors.ts';
import { dateOf, idsOf, onlyKnown, textOf, type Values, zoneOf } from './params.ts';
import { candidateCalendars, type SlotQuery, slotsOn } from './slots.ts';
import { addDays, formatInstant, isDate, startOfDay } from './zone.ts';

const COMMON = ['appointmentTypeID', 'calendarID', 'addonIDs', 'timezone'];

/** Lists one day's slots in the requested time zone, merged over all calendars when the request names none. */
export function listTimes(call: Call, query: Values): { time: string; slotsAvailable: number }[] {
  onlyKnown(query, [...COMMON, 'date', 'ignoreAppointmentIDs']);
  const { slotQuery, zone } = readSlotQuery(call, query);
  const date = dateOf(query, 'date');
  if (date === null) throw acuityError('bad_request', 'Attribute "date" is required.');
  const range = { startAt: startOfDay(date, zone), endAt: startOfDay(addDays(date, 1), zone) };
  const starts = candidateCalendars(call.account, slotQuery).flatMap((calendar) =>
    slotsOn(call, calendar, slotQuery, range),
  );
  const places = new Map<number, number>();
  for (const at of starts) places.set(at, (places.get(at) ?? 0) + 1);
  return [...places]
    .sort(([a], [b]) => a - b)
    .map(([at, slotsAvailable]) => ({ time: formatInstant(at, zone), slotsAvailable }));
}

/** Lists the days of a month that have at least one slot. */
export function listDates(call: Call, query: Values): { date: string }[] {
  onlyKnown(query, [...COMMON, 'month']);
  const { slotQuery, zone } = readSlotQuery(call, query);
  const month = textOf(query, 'month');
  if (!isDate(`${month}-01`)) throw acuityError('bad_request', 'Attribute "month" is required as YYYY-MM.');
  const days: { date: string; startAt: number; endAt: number }[] = [];
  for (let date = `${month}-01`; date.startsWith(month); date = addDays(date, 1)) {
    days.push({ date, startAt: startOfDay(date, zone), endAt: startOfDay(addDays(date, 1), zone) });
  }
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new Error(`No days in ${month}`);
  const range = { startAt: first.startAt, endAt: last.endAt };
  const starts = candidateCalendars(call.account, slotQuery).flatMap((calendar) =>
    slotsOn(call, calendar, slotQuery, range),
  );
  return days
    .filter(({ startAt, endAt }) => starts.some((at) => at >= startAt && at < endAt))
    .map(({ date }) => ({ date }));
}

function readSlotQuery(call: Call, query: Values): { slotQuery: SlotQuery; zone: string } {
  const type = typeOf(call, query);
  const calendar = calendarOf(call, query);
  const zone = zoneOf(query, calendar?.timezone || call.account.timezone);
  const duration = addonsOf(call, query, type).reduce((total, addon) => total + addon.duration, type.duration);
  return { slotQuery: { type, duration, calendar, ignore: idsOf(query, 'ignoreAppointmentIDs') }, zone };
}
