import type { Context } from '#server/core/context.ts';
import { type Day, localDay, type Minute, toMinute } from '#server/core/zone.ts';
import { getSchedulingAccount, type SchedulingAccount } from '#server/integrations/scheduling-account.ts';
import { type Priority, prioritiesUpTo } from '#server/providers/request-budget.ts';
import { isTypeGone } from '#server/providers/scheduling-provider.ts';
import { announceDays, type Marks, saveDays } from './mirrored-days.ts';

/** Local days of a calendar. */
export type WantedDays = { calendar: { id: number; timeZone: string }; days: Day[] };

/**
 * Fetches the days from the provider and stores each response as it arrives, even when callers no longer wait. A
 * process fetches a day once, and again for a caller with a higher priority than the running call. Resolves when all
 * days are stored; rejects when one fails.
 */
export async function fillDays(ctx: Context, typeId: number, wanted: WantedDays[], turn: Priority): Promise<void> {
  const { pendingCalls } = ctx.mirror;
  const calls: Promise<void>[] = [];
  for (const { calendar, days } of wanted) {
    const keyOf = (day: Day, priority: Priority) => `${ctx.tenantId}/${typeId}/${calendar.id}/${day}/${priority}`;
    const find = (day: Day) =>
      prioritiesUpTo(turn).flatMap((priority) => pendingCalls.get(keyOf(day, priority)) ?? [])[0];
    const fresh = days.filter((day) => !find(day));
    calls.push(...days.flatMap((day) => find(day) ?? []));
    if (fresh.length === 0) continue;
    const resolvers = new Map<Day, () => void>();
    const all = fetchDays(ctx, typeId, calendar, fresh, { turn, onSaved: (day) => resolvers.get(day)?.() });
    for (const day of fresh) {
      const call = new Promise<void>((resolve, reject) => {
        resolvers.set(day, resolve);
        all.then(resolve, reject);
      }).finally(() => pendingCalls.delete(keyOf(day, turn)));
      pendingCalls.set(keyOf(day, turn), call);
      calls.push(call);
    }
  }
  // Awaits all, so that no rejection after the first is unhandled.
  const failed = (await Promise.allSettled(calls)).find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

type DayFetch = {
  ctx: Context;
  provider: SchedulingAccount['provider'];
  marks: Marks;
  onSaved: (day: Day) => void;
  of: { typeId: number; calendarId: number; timeZone: string };
};

async function fetchDays(
  ctx: Context,
  typeId: number,
  calendar: WantedDays['calendar'],
  days: Day[],
  { turn, onSaved }: { turn: Priority; onSaved: (day: Day) => void },
): Promise<void> {
  const { provider } = await getSchedulingAccount(ctx, turn);
  const marks = await announceDays(ctx, typeId, [calendar.id], days);
  const of = { typeId, calendarId: calendar.id, timeZone: calendar.timeZone };
  const dayFetch: DayFetch = { ctx, provider, marks, onSaved, of };
  const [first, ...rest] = [...days].sort();
  // While a caller waits, the first day of every calendar is more valuable than the whole week of some.
  const isWaitedFor = turn !== 'behind' && first !== undefined;
  const askedAt = ctx.clock.now();
  try {
    if (isWaitedFor) await fetchDay(dayFetch, first);
    await fetchOpenDays(dayFetch, isWaitedFor ? rest : days);
  } catch (error) {
    // A removed type or calendar has no slots; the caller gets the error.
    if (isTypeGone(error)) await saveDays(ctx, typeId, [calendar.id], { days, starts: [], marks }, askedAt);
    throw error;
  }
}

/** For several days, first fetches which of them have slots, which saves a call for each empty one. */
async function fetchOpenDays(dayFetch: DayFetch, days: Day[]): Promise<void> {
  const { ctx, provider, marks, onSaved, of } = dayFetch;
  let open = days;
  if (days.length > 1) {
    const months = [...new Set(days.map((day) => day.slice(0, 7)))];
    let askedAt: Date | null = null;
    const onSent = () => {
      askedAt ??= ctx.clock.now();
    };
    const dates = new Set((await Promise.all(months.map((month) => provider.dates(month, of, onSent)))).flat());
    open = days.filter((day) => dates.has(day));
    const empty = days.filter((day) => !dates.has(day));
    await saveDays(ctx, of.typeId, [of.calendarId], { days: empty, starts: [], marks }, askedAt ?? ctx.clock.now());
    for (const day of empty) onSaved(day);
  }
  await Promise.all(open.map((day) => fetchDay(dayFetch, day)));
}

async function fetchDay({ ctx, provider, marks, onSaved, of }: DayFetch, day: Day): Promise<void> {
  let askedAt = ctx.clock.now();
  const times = await provider.times(day, of, {
    onSent: () => {
      askedAt = ctx.clock.now();
    },
  });
  const starts = sortedStarts(times.map(toMinute), day, of.timeZone);
  await saveDays(ctx, of.typeId, [of.calendarId], { days: [day], starts, marks }, askedAt);
  onSaved(day);
}

/** Returns unique starts of the day, ascending. */
export const sortedStarts = (starts: Minute[], day: Day, timeZone: string): Minute[] =>
  [...new Set(starts)].filter((start) => localDay(start, timeZone) === day).sort((a, b) => a - b);
