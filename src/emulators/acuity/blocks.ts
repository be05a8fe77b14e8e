import type { Span } from './availability.ts';
import { type Call, newId } from './call.ts';
import { acuityError } from './errors.ts';
import { dateOf, idOf, maxOf, rejectUnknown, textOf, type Values } from './params.ts';
import type { Account, Block } from './state.ts';
import {
  addDays,
  atMinute,
  DAY_MS,
  formatInstant,
  formatLongDate,
  formatWallClock,
  localDate,
  minuteOf,
  parseInstant,
  startOfDay,
} from './zone.ts';

const MAX_OCCURRENCES = 366;

/**
 * Creates a block (time off). Existing appointments stay; the span is no
 * longer offered or bookable. Only the console creates recurring blocks.
 */
export function createBlock(call: Call, values: Values, recurrence?: Pick<Block, 'recurring' | 'until'>): Block {
  rejectUnknown(values, ['start', 'end', 'calendarID', 'notes']);
  const calendar = call.account.calendars.find(({ id }) => id === idOf(values, 'calendarID'));
  if (!calendar) throw acuityError('unprocessable_entity', 'calendarID must name a calendar.');
  const startAt = parseInstant(textOf(values, 'start'), calendar.timezone || call.account.timezone);
  const endAt = parseInstant(textOf(values, 'end'), calendar.timezone || call.account.timezone);
  if (startAt === null || endAt === null || startAt >= endAt) {
    throw acuityError('unprocessable_entity', 'start and end must be datetimes, start first.');
  }
  const block: Block = {
    id: newId(call),
    calendarId: calendar.id,
    startAt,
    endAt,
    notes: textOf(values, 'notes'),
    recurring: recurrence?.recurring ?? null,
    until: recurrence?.until ?? null,
  };
  call.account.blocks.push(block);
  return block;
}

export function listBlocks({ account }: Call, query: Values): Block[] {
  rejectUnknown(query, ['max', 'minDate', 'maxDate', 'calendarID']);
  const minDate = dateOf(query, 'minDate');
  const maxDate = dateOf(query, 'maxDate');
  const from = minDate ? startOfDay(minDate, account.timezone) : Number.NEGATIVE_INFINITY;
  const until = maxDate ? startOfDay(addDays(maxDate, 1), account.timezone) : Number.POSITIVE_INFINITY;
  const calendarId = idOf(query, 'calendarID');
  return account.blocks
    .filter((block) => occurrences(account, block, { startAt: from, endAt: until }).length > 0)
    .filter((block) => calendarId === null || block.calendarId === calendarId)
    .slice(0, maxOf(query, 100));
}

export function findBlock({ account }: Call, id: string | undefined): Block {
  const block = account.blocks.find((each) => String(each.id) === id);
  if (!block) throw acuityError('not_found');
  return block;
}

export function deleteBlock(call: Call, id: string | undefined): void {
  call.account.blocks.splice(call.account.blocks.indexOf(findBlock(call, id)), 1);
}

const STEP_DAYS = { daily: 1, weekly: 7 };

/**
 * Returns a block's occurrences within a range, ascending. A recurring
 * block follows its calendar's local time; at most 366 occurrences.
 */
export function occurrences(account: Account, block: Block, range: Span): (Span & { calendarId: number })[] {
  const { calendarId, startAt, endAt, recurring, until } = block;
  const isInRange = (span: Span) => span.endAt > range.startAt && span.startAt < range.endAt;
  if (!recurring) return isInRange(block) ? [block] : [];
  const zone = account.calendars.find(({ id }) => id === calendarId)?.timezone || account.timezone;
  const first = localDate(startAt, zone);
  const minute = minuteOf(startAt, zone);
  const step = STEP_DAYS[recurring];
  const skipped = Math.max(0, Math.floor((range.startAt - startAt) / (step * DAY_MS)) - 1);
  const result: (Span & { calendarId: number })[] = [];
  for (
    let index = Number.isFinite(skipped) ? skipped : 0, remaining = MAX_OCCURRENCES;
    remaining > 0;
    index++, remaining--
  ) {
    const date = addDays(first, index * step);
    if (until !== null && date > until) break;
    const at = atMinute(date, minute, zone);
    if (at >= range.endAt) break;
    const span = { calendarId, startAt: at, endAt: at + (endAt - startAt) };
    if (isInRange(span)) result.push(span);
  }
  return result;
}

export function presentBlock({ account }: Call, { id, calendarId, startAt, endAt, notes, recurring, until }: Block) {
  const zone = account.calendars.find((each) => each.id === calendarId)?.timezone || account.timezone;
  const hours = `${formatWallClock(startAt, zone)} - ${formatWallClock(endAt, zone)}`;
  return {
    id,
    calendarID: calendarId,
    start: formatInstant(startAt, zone),
    end: formatInstant(endAt, zone),
    notes,
    description: `${formatLongDate(startAt, zone)} ${hours}`,
    ...(recurring && { recurring, until }),
  };
}
