import type { Call } from './call.ts';
import { acuityError } from './errors.ts';
import { dateOf, flagOf, idOf, maxOf, onlyKnown, textOf, type Values } from './params.ts';
import type { Appointment } from './state.ts';
import { addDays, startOfDay } from './zone.ts';

const KNOWN = [
  'max',
  'minDate',
  'maxDate',
  'calendarID',
  'appointmentTypeID',
  'canceled',
  'showall',
  'firstName',
  'lastName',
  'email',
  'phone',
  'excludeForms',
  'direction',
];

const sameText = (wanted: string, value: string) => wanted === '' || wanted.toLowerCase() === value.toLowerCase();

/**
 * Lists appointments. `minDate` and `maxDate` are whole days in the
 * business's time zone, both inclusive. There is no paging beyond `max`.
 */
export function listAppointments({ account }: Call, query: Values): Appointment[] {
  const fieldFilters = Object.keys(query).filter((key) => /^field:\d+$/.test(key));
  onlyKnown(query, [...KNOWN, ...fieldFilters]);
  const minDate = dateOf(query, 'minDate');
  const maxDate = dateOf(query, 'maxDate');
  const from = minDate ? startOfDay(minDate, account.timezone) : Number.NEGATIVE_INFINITY;
  const until = maxDate ? startOfDay(addDays(maxDate, 1), account.timezone) : Number.POSITIVE_INFINITY;
  const calendarId = idOf(query, 'calendarID');
  const typeId = idOf(query, 'appointmentTypeID');
  const canceled = flagOf(query, 'canceled');
  const both = flagOf(query, 'showall');
  const ascending = readDirection(query) === 'ASC';

  return account.appointments
    .filter(
      (each) =>
        each.startAt >= from &&
        each.startAt < until &&
        (both || each.canceled === canceled) &&
        (calendarId === null || each.calendarId === calendarId) &&
        (typeId === null || each.typeId === typeId) &&
        sameText(textOf(query, 'firstName'), each.firstName) &&
        sameText(textOf(query, 'lastName'), each.lastName) &&
        sameText(textOf(query, 'email'), each.email) &&
        sameText(textOf(query, 'phone'), each.phone) &&
        fieldFilters.every((key) => hasAnswer(each, Number(key.slice('field:'.length)), textOf(query, key))),
    )
    .sort((a, b) => (ascending ? a.startAt - b.startAt : b.startAt - a.startAt) || a.id - b.id)
    .slice(0, maxOf(query, 100));
}

const hasAnswer = ({ answers }: Appointment, fieldID: number, value: string) =>
  answers.some((answer) => answer.fieldID === fieldID && answer.value === value);

function readDirection(query: Values): string {
  const direction = textOf(query, 'direction') || 'DESC';
  if (direction !== 'ASC' && direction !== 'DESC') throw acuityError('bad_request', '"direction" must be ASC or DESC.');
  return direction;
}
