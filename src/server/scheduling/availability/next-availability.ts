import type { AvailabilityView, NextAvailabilityInput } from '#contract/availability.ts';
import { requireScope } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { addDays, type Day, localDay, type Minute } from '#server/core/zone.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { inTime } from '#server/mirror/in-time.ts';
import { knownDays, noteAge, PATIENCE_MS } from '#server/mirror/known-days.ts';
import { isKnown, type KnownDay, readDays } from '#server/mirror/mirrored-days.ts';
import { type Calendar, findInTime, type Offer } from '../catalogue/catalogue.ts';
import { readClaims } from './free-times.ts';
import { offeredTimes, presentSlot, type Slot, spanOf } from './offered-times.ts';

/** Nobody offers times further ahead. */
const MONTHS = 24;
/** Months that Acuity is asked for at the same time. */
const MONTHS_AT_ONCE = 4;
/** Days ahead for which our mirror is looked at first. */
const MIRRORED = 14;
/** Days that are looked at together, at most: one call for each calendar and day, where they are not known yet. */
const DAYS_AT_ONCE = 3;
/** As many calls as Acuity takes while somebody waits: of many calendars fewer days are looked at together. */
const CALLS_AT_ONCE = 24;

/**
 * The next free times, ascending by start and then calendar, however far ahead: Acuity says month by month on which days
 * any calendar is free, and only those days are looked at. Fewer than asked for when there are no more.
 *
 * Errors: 422 `invalid_parameter`; 503 `provider_unavailable` with `Retry-After` when they are not found within five
 * seconds, while what was begun goes on; 502, 503, 504 naming Acuity.
 */
export async function nextAvailability(ctx: Context, input: NextAvailabilityInput): Promise<AvailabilityView[]> {
  requireScope(ctx.actor, 'appointments:read');
  const until = performance.now() + PATIENCE_MS;
  const offer = await findInTime(ctx, input);
  if (offer.calendars.length === 0) return [];
  const { slots, days } = await inTime(findNext(ctx, offer, input.count ?? 1, until), until - performance.now());
  noteAge(ctx, days);
  return slots.map((slot) => presentSlot(offer.type, slot));
}

async function findNext(
  ctx: Context,
  offer: Offer,
  count: number,
  until: number,
): Promise<{ slots: Slot[]; days: KnownDay[] }> {
  const known = await soonestKnown(ctx, offer);
  if (known.slots.length >= count) return { slots: known.slots.slice(0, count), days: known.days };
  const slots: Slot[] = [];
  const used: KnownDay[] = [];
  const atOnce = Math.min(DAYS_AT_ONCE, Math.max(1, Math.floor(CALLS_AT_ONCE / offer.calendars.length)));
  for await (const open of openDays(ctx, offer)) {
    for (let n = 0; n < open.length && slots.length < count; n += atOnce) {
      const found = await timesOn(ctx, offer, open.slice(n, n + atOnce), until);
      slots.push(...found.slots);
      used.push(...found.days);
    }
    if (slots.length >= count || performance.now() > until) break;
  }
  return { slots: slots.slice(0, count), days: used };
}

/** The free times of the coming days, up to the first of which not all is known here: Acuity is not asked. */
async function soonestKnown(ctx: Context, offer: Offer): Promise<{ slots: Slot[]; days: KnownDay[] }> {
  const { type, calendars } = offer;
  const zone = calendars[0]!.timeZone;
  const now = ctx.clock.now().getTime();
  const today = localDay(Math.floor(now / MINUTE), zone);
  const ids = calendars.map(({ id }) => id);
  const days = await readDays(ctx, type.id, ids, [addDays(today, -1), addDays(today, MIRRORED + 1)]);
  const isHere = new Set(
    days
      .filter((one) => isKnown(one, ctx.config.acuity.renewMs, now))
      .map(({ calendarId, day }) => `${calendarId}/${day}`),
  );
  const first = Array.from({ length: MIRRORED }, (_, n) => addDays(today, n));
  const gap = first.findIndex((day) =>
    calendars.some((calendar) =>
      daysOf(calendar, zone, [day]).some((one) => {
        // A day that is over needs not be known.
        const isOver = one < localDay(Math.floor(now / MINUTE), calendar.timeZone);
        return !isOver && !isHere.has(`${calendar.id}/${one}`);
      }),
    ),
  );
  const whole = gap < 0 ? first : first.slice(0, gap);
  return whole.length === 0 ? { slots: [], days: [] } : slotsOn(ctx, offer, whole, days);
}

/**
 * The days of some months on which anybody is free, each month's by one call for all calendars, which names days by one
 * of their clocks.
 */
async function* openDays(ctx: Context, { type, calendars }: Offer): AsyncGenerator<Day[]> {
  const { acuity } = await getAcuityAccount(ctx);
  const timeZone = calendars[0]!.timeZone;
  const of = { typeId: type.id, timeZone, ...(calendars.length === 1 && { calendarId: calendars[0]!.id }) };
  const today = localDay(Math.floor(ctx.clock.now().getTime() / MINUTE), timeZone);
  const months = Array.from({ length: MONTHS }, (_, n) => monthAhead(today, n));
  for (let n = 0; n < MONTHS; n += n === 0 ? 1 : MONTHS_AT_ONCE) {
    const asked = months.slice(n, n === 0 ? 1 : n + MONTHS_AT_ONCE);
    const days = (await Promise.all(asked.map((month) => acuity.dates(month, of)))).flat();
    yield [...new Set(days)].filter((day) => day >= today && asked.includes(day.slice(0, 7))).sort();
  }
}

function monthAhead(day: Day, months: number): string {
  const at = new Date(`${day.slice(0, 7)}-01T00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + months);
  return at.toISOString().slice(0, 7);
}

/** All free times of some days, as the first calendar's clock names them. */
async function timesOn(
  ctx: Context,
  offer: Offer,
  open: Day[],
  until: number,
): Promise<{ slots: Slot[]; days: KnownDay[] }> {
  const { type, calendars } = offer;
  const zone = calendars[0]!.timeZone;
  const wanted = calendars.map((calendar) => ({ calendar, days: daysOf(calendar, zone, open) }));
  const { days } = await knownDays(ctx, type.id, wanted, { patienceMs: until - performance.now() });
  return slotsOn(ctx, offer, open, days);
}

/** Of what is known the free times on some days, as the first calendar's clock names them. */
async function slotsOn(
  ctx: Context,
  { catalogue, type, calendars }: Offer,
  open: Day[],
  days: KnownDay[],
): Promise<{ slots: Slot[]; days: KnownDay[] }> {
  const zone = calendars[0]!.timeZone;
  const isOpen = new Set(open);
  const soonest = Math.floor(ctx.clock.now().getTime() / MINUTE) + 1;
  const starts = days.flatMap(({ startsAt }) => startsAt);
  const ids = calendars.map(({ id }) => id);
  const claims = starts.length > 0 ? await readClaims(ctx, ids, spanOf(starts)) : [];
  const asked = calendars.map((calendar) => ({ calendar, range: { from: soonest, until: Number.MAX_SAFE_INTEGER } }));
  const onOpenDay = ({ start }: { start: Minute }) => isOpen.has(localDay(start, zone));
  return { slots: offeredTimes({ type, types: catalogue.types }, asked, days, claims).filter(onOpenDay), days };
}

/** The local days of a calendar that touch the days of another clock. */
const daysOf = (calendar: Calendar, zone: string, open: Day[]): Day[] =>
  calendar.timeZone === zone
    ? open
    : [...new Set(open.flatMap((day) => [addDays(day, -1), day, addDays(day, 1)]))].sort();
