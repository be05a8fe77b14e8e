import type { AvailabilityView, NextAvailabilityInput } from '#contract/availability.ts';
import { requireScope } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { addDays, type Day, localDay } from '#server/core/zone.ts';
import {
  AVAILABILITY_TIMEOUT_MS,
  fillMonth,
  isKnown,
  type KnownDay,
  knownDays,
  readDays,
  reportAge,
  type WantedDays,
  withTimeout,
} from '#server/mirror/index.ts';
import { findOfferForReader, type Offer } from '../catalogue/catalogue.ts';
import { listClaims } from './free-slots.ts';
import { offeredSlots, presentSlot, type Slot, spanOf } from './offered-slots.ts';

/** No calendar offers slots further ahead. */
const HORIZON_DAYS = 730;
/** Length of the first step in days; these are stored most often. */
const FIRST_DAYS = 14;
/** Length of each further step in days; the months of a step are fetched concurrently. */
const MORE_DAYS = 120;
/** Maximum number of days fetched together: one call for each calendar and unknown day. */
const DAYS_AT_ONCE = 3;
/** Maximum number of calls while a client waits; with many calendars fewer days are fetched together. */
const CALLS_AT_ONCE = 24;

/** `days`: the stored days that the slots are based on. */
type FoundSlots = { slots: Slot[]; days: KnownDay[] };
type Search = {
  ctx: Context;
  offer: Offer;
  /** Zone of the first calendar, whose local days the search iterates over. */
  zone: string;
  now: number;
  /** The current local day of each calendar; earlier days need not be known. */
  todays: Map<number, Day>;
  /** Months already fetched in this search, as `zone/YYYY-MM`. */
  fetchedMonths: Set<string>;
};

/**
 * Returns the next free slots, ascending by start and then calendar, however far ahead; fewer than `count` when there
 * are no more. The provider lists by month the days with free slots on any calendar; the others are stored as days
 * without slots, so that the next search skips them.
 *
 * @throws 422 `invalid_parameter`; 503 `provider_unavailable` with `Retry-After` when they are not found within five
 * seconds, while the search continues; 502, 503, 504 naming the provider.
 */
export async function nextAvailability(ctx: Context, input: NextAvailabilityInput): Promise<AvailabilityView[]> {
  requireScope(ctx.actor, 'appointments:read');
  const until = performance.now() + AVAILABILITY_TIMEOUT_MS;
  const offer = await findOfferForReader(ctx, input);
  if (offer.calendars.length === 0) return [];
  const search = findNext(ctx, offer, input.count ?? 1);
  const { backgroundWork } = ctx.mirror;
  const done: Promise<void> = search.then(
    () => void backgroundWork.delete(done),
    () => void backgroundWork.delete(done),
  );
  backgroundWork.add(done);
  const { slots, days } = await withTimeout(search, until - performance.now());
  reportAge(ctx, days);
  return slots.map((slot) => presentSlot(offer.type, slot));
}

async function findNext(ctx: Context, offer: Offer, count: number): Promise<FoundSlots> {
  const now = ctx.clock.now().getTime();
  const todayIn = (zone: string) => localDay(Math.floor(now / MINUTE), zone);
  const [firstCalendar] = offer.calendars;
  if (!firstCalendar) return { slots: [], days: [] };
  const zone = firstCalendar.timeZone;
  const todays = new Map(offer.calendars.map(({ id, timeZone }) => [id, todayIn(timeZone)]));
  const search: Search = { ctx, offer, zone, now, todays, fetchedMonths: new Set() };
  const result: FoundSlots = { slots: [], days: [] };
  let first = 0;
  while (first < HORIZON_DAYS && result.slots.length < count) {
    const length = first === 0 ? FIRST_DAYS : MORE_DAYS;
    const days = Array.from({ length }, (_, n) => addDays(todayIn(zone), first + n));
    const part = await findOn(search, days, count - result.slots.length);
    result.slots.push(...part.slots);
    result.days.push(...part.days);
    first += length;
  }
  return result;
}

/** Finds the first free slots of consecutive days and fetches unknown days as far as needed. */
async function findOn(search: Search, days: Day[], count: number): Promise<FoundSlots> {
  const { ctx, offer } = search;
  const batchSize = Math.min(DAYS_AT_ONCE, Math.max(1, Math.floor(CALLS_AT_ONCE / offer.calendars.length)));
  for (let round = 0; ; round += 1) {
    const known = await readKnownDays(search, days);
    const missing = days.filter((day) =>
      wantedOn(search, [day]).some((part) => part.days.some((one) => !known.has(`${part.calendar.id}/${one}`))),
    );
    const [gap] = missing;
    const completeDays = gap === undefined ? days : days.filter((day) => day < gap);
    const result = await slotsOn(search, completeDays, known, count);
    if (result.slots.length === count || gap === undefined) return result;
    if (round === 0) await fillMonths(search, missing);
    else await knownDays(ctx, offer.type.id, wantedOn(search, missing.slice(0, batchSize)));
  }
}

/** Reads the stored days that are current, by calendar and day. */
async function readKnownDays({ ctx, offer, now }: Search, days: Day[]): Promise<Map<string, KnownDay>> {
  const ids = offer.calendars.map(({ id }) => id);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const rows = await readDays(ctx, offer.type.id, ids, [addDays(first, -1), addDays(last, 1)]);
  const known = rows.filter((row) => isKnown(row, ctx.config.scheduling.renewMs, now));
  return new Map(known.map((row) => [`${row.calendarId}/${row.day}`, row]));
}

/** Fetches the months of these days, with one call for all calendars of a time zone. */
async function fillMonths(search: Search, days: Day[]): Promise<void> {
  const { ctx, offer, fetchedMonths } = search;
  const { type, calendars } = offer;
  const [firstCalendar, ...others] = calendars;
  const onlyCalendar = firstCalendar && others.length === 0 && { calendarId: firstCalendar.id };
  const wanted = wantedOn(search, days);
  const calls: Promise<void>[] = [];
  for (const timeZone of new Set(calendars.map((calendar) => calendar.timeZone))) {
    const inZone = wanted.filter(({ calendar }) => calendar.timeZone === timeZone);
    const calendarIds = inZone.map(({ calendar }) => calendar.id);
    for (const month of new Set(inZone[0]?.days.map((day) => day.slice(0, 7)))) {
      if (fetchedMonths.has(`${timeZone}/${month}`)) continue;
      fetchedMonths.add(`${timeZone}/${month}`);
      calls.push(fillMonth(ctx, { typeId: type.id, month, timeZone, calendarIds, ...onlyCalendar }));
    }
  }
  await Promise.all(calls);
}

/** Returns the first free slots of days that are all known. */
async function slotsOn(
  search: Search,
  completeDays: Day[],
  known: Map<string, KnownDay>,
  count: number,
): Promise<FoundSlots> {
  const { ctx, offer, zone } = search;
  const { catalogue, type, calendars } = offer;
  const rowsOn = (days: Day[]) =>
    wantedOn(search, days).flatMap((part) => part.days.flatMap((day) => known.get(`${part.calendar.id}/${day}`) ?? []));
  const rows = rowsOn(completeDays);
  const starts = rows.flatMap(({ startsAt }) => startsAt);
  const ids = calendars.map(({ id }) => id);
  const claims = starts.length > 0 ? await listClaims(ctx, ids, spanOf(starts)) : [];
  const soonest = Math.floor(ctx.clock.now().getTime() / MINUTE) + 1;
  const ranges = calendars.map((calendar) => ({ calendar, range: { from: soonest, until: Number.MAX_SAFE_INTEGER } }));
  const complete = new Set(completeDays);
  const slots = offeredSlots({ type, types: catalogue.types }, ranges, rows, claims)
    .filter(({ start }) => complete.has(localDay(start, zone)))
    .slice(0, count);
  const lastSlot = slots.at(-1);
  // The days after the last slot were not needed.
  const lastDay = lastSlot && slots.length === count ? localDay(lastSlot.start, zone) : completeDays.at(-1);
  return { slots, days: rowsOn(completeDays.filter((day) => lastDay !== undefined && day <= lastDay)) };
}

/** Returns each calendar's local days that overlap the given days of the first calendar and are not over. */
const wantedOn = ({ offer, zone, todays }: Search, days: Day[]): WantedDays[] =>
  offer.calendars.map((calendar) => ({
    calendar,
    days: touching(days, calendar.timeZone === zone).filter((day) => day >= todays.get(calendar.id)!),
  }));

const touching = (days: Day[], isSameClock: boolean): Day[] =>
  isSameClock ? days : [...new Set(days.flatMap((day) => [addDays(day, -1), day, addDays(day, 1)]))].sort();
