import { type Call, newId } from './call.ts';
import { refusal } from './errors.ts';
import { dateOf, idOf, maxOf, onlyKnown, textOf, type Values } from './params.ts';
import type { Block } from './state.ts';
import { addDays, formatInstant, formatLongDate, formatWallClock, parseInstant, startOfDay } from './zone.ts';

/** Time off. Existing appointments stay; nothing new is offered or booked inside. */
export function createBlock(call: Call, values: Values): Block {
  onlyKnown(values, ['start', 'end', 'calendarID', 'notes']);
  const calendar = call.account.calendars.find(({ id }) => id === idOf(values, 'calendarID'));
  if (!calendar) throw refusal('unprocessable_entity', 'calendarID must name a calendar.');
  const startAt = parseInstant(textOf(values, 'start'), calendar.timezone);
  const endAt = parseInstant(textOf(values, 'end'), calendar.timezone);
  if (startAt === null || endAt === null || startAt >= endAt) {
    throw refusal('unprocessable_entity', 'start and end must be datetimes, start first.');
  }
  const block = { id: newId(call), calendarId: calendar.id, startAt, endAt, notes: textOf(values, 'notes') };
  call.account.blocks.push(block);
  return block;
}

export function listBlocks({ account }: Call, query: Values): Block[] {
  onlyKnown(query, ['max', 'minDate', 'maxDate', 'calendarID']);
  const minDate = dateOf(query, 'minDate');
  const maxDate = dateOf(query, 'maxDate');
  const from = minDate ? startOfDay(minDate, account.timezone) : Number.NEGATIVE_INFINITY;
  const until = maxDate ? startOfDay(addDays(maxDate, 1), account.timezone) : Number.POSITIVE_INFINITY;
  const calendarId = idOf(query, 'calendarID');
  return account.blocks
    .filter(({ startAt, endAt }) => endAt > from && startAt < until)
    .filter((block) => calendarId === null || block.calendarId === calendarId)
    .slice(0, maxOf(query, 100));
}

export function findBlock({ account }: Call, id: string | undefined): Block {
  const block = account.blocks.find((each) => String(each.id) === id);
  if (!block) throw refusal('not_found');
  return block;
}

export function deleteBlock(call: Call, id: string | undefined): void {
  call.account.blocks.splice(call.account.blocks.indexOf(findBlock(call, id)), 1);
}

export function presentBlock({ account }: Call, { id, calendarId, startAt, endAt, notes }: Block) {
  const zone = account.calendars.find((each) => each.id === calendarId)?.timezone ?? account.timezone;
  const hours = `${formatWallClock(startAt, zone)} - ${formatWallClock(endAt, zone)}`;
  return {
    id,
    calendarID: calendarId,
    start: formatInstant(startAt, zone),
    end: formatInstant(endAt, zone),
    notes,
    description: `${formatLongDate(startAt, zone)} ${hours}`,
  };
}
