import type { Context } from '#server/core/context.ts';
import { type Day, toMinute } from '#server/core/zone.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import type { Calendar } from '../catalogue/catalogue.ts';
import { announceDays, FRESH_MS, type KnownDay, readDays, saveDays, USABLE_MS } from './availability-days.ts';

export type WantedDays = { calendar: Calendar; days: Day[] };

/** An answer that a change overtook is asked for again, but not for ever. */
const MAX_ROUNDS = 3;

/**
 * The wanted days as Acuity last told. What is older than `FRESH_MS` is asked for behind the answer; what is older than
 * `maxAgeMs` (default `USABLE_MS`), spoilt or unknown is waited for.
 */
export async function knownDays(
  ctx: Context,
  typeId: number,
  wanted: WantedDays[],
  maxAgeMs = USABLE_MS,
): Promise<KnownDay[]> {
  const all = wanted.flatMap(({ days }) => days).sort();
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return [];
  const ids = wanted.map(({ calendar }) => calendar.id);
  const known = await readDays(ctx, typeId, ids, [first, last]);
  for (let tries = 0; tries < MAX_ROUNDS; tries += 1) {
    if (!(await refresh(ctx, typeId, wanted, known, maxAgeMs))) break;
    known.splice(0, known.length, ...(await readDays(ctx, typeId, ids, [first, last])));
  }
  return known;
}

/** Sees to what is old; tells whether a caller had to wait, so that what was read before does not count. */
async function refresh(
  ctx: Context,
  typeId: number,
  wanted: WantedDays[],
  known: KnownDay[],
  maxAgeMs: number,
): Promise<boolean> {
  const now = ctx.clock.now().getTime();
  const byKey = new Map(known.map((row) => [`${row.calendarId}/${row.day}`, row]));
  const older = ({ calendar, days }: WantedDays, ageMs: number) =>
    days.filter((day) => {
      const row = byKey.get(`${calendar.id}/${day}`);
      return !row?.valid || now - row.askedAt > ageMs;
    });
  const waits: Promise<void>[] = [];
  for (const part of wanted) {
    const needed = older(part, maxAgeMs);
    const old = older(part, FRESH_MS).filter((day) => !needed.includes(day));
    if (needed.length > 0) waits.push(ask(ctx, typeId, part.calendar, needed));
    if (old.length > 0)
      ask(ctx, typeId, part.calendar, old).catch((error: Error) =>
        ctx.log.warn({ err: error.message }, 'availability could not be refreshed'),
      );
  }
  await Promise.all(waits);
  return waits.length > 0;
}

async function ask(ctx: Context, typeId: number, calendar: Calendar, days: Day[]): Promise<void> {
  const { questions } = ctx.kept.scheduling;
  const keyOf = (day: Day) => `${ctx.tenantId}/${typeId}/${calendar.id}/${day}`;
  const asked = days.flatMap((day) => questions.get(keyOf(day)) ?? []);
  const fresh = days.filter((day) => !questions.has(keyOf(day)));
  if (fresh.length > 0) {
    const question = fetchDays(ctx, typeId, calendar, fresh).finally(() => {
      for (const day of fresh) questions.delete(keyOf(day));
    });
    for (const day of fresh) questions.set(keyOf(day), question);
    asked.push(question);
  }
  await Promise.all(asked);
}

/** For several days Acuity is first asked which of them have any time, which spares a call for each empty one. */
async function fetchDays(ctx: Context, typeId: number, calendar: Calendar, days: Day[]): Promise<void> {
  const { acuity } = await getAcuityAccount(ctx);
  const of = { typeId, calendarId: calendar.id, timeZone: calendar.timeZone };
  await announceDays(ctx, typeId, calendar.id, days);
  const askedAt = ctx.clock.now();
  let open = days;
  if (days.length > 1) {
    const months = [...new Set(days.map((day) => day.slice(0, 7)))];
    const dates = new Set((await Promise.all(months.map((month) => acuity.dates(month, of)))).flat());
    open = days.filter((day) => dates.has(day));
  }
  const answers = new Map(days.map((day): [Day, number[]] => [day, []]));
  await Promise.all(
    open.map(async (day) => {
      const starts = (await acuity.times(day, of)).map(toMinute);
      answers.set(
        day,
        [...new Set(starts)].sort((a, b) => a - b),
      );
    }),
  );
  await saveDays(ctx, typeId, calendar.id, answers, askedAt);
}
