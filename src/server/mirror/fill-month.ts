import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { addDays, type Day, localDay } from '#server/core/zone.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import { announceDays, saveDays } from './mirrored-days.ts';

/** A month (YYYY-MM) of a type, on calendars that share a time zone; `calendarId` limits the provider call to one. */
type WantedMonth = { typeId: number; month: string; timeZone: string; calendarIds: number[]; calendarId?: number };

/**
 * Fetches the days of a month on which any calendar has slots, and stores all others as empty days. Concurrent requests
 * of one process share the call, which continues when its callers no longer wait.
 */
export function fillMonth(ctx: Context, wanted: WantedMonth): Promise<void> {
  const { pendingCalls } = ctx.mirror;
  const { typeId, month, timeZone, calendarId = 'all' } = wanted;
  const key = `${ctx.tenantId}/${typeId}/${calendarId}/${timeZone}/${month}`;
  const pending = pendingCalls.get(key);
  if (pending) return pending;
  const call = fetchMonth(ctx, wanted).finally(() => pendingCalls.delete(key));
  pendingCalls.set(key, call);
  return call;
}

async function fetchMonth(ctx: Context, { month, calendarIds, ...of }: WantedMonth): Promise<void> {
  const { provider } = await getSchedulingAccount(ctx);
  const today = localDay(Math.floor(ctx.clock.now().getTime() / MINUTE), of.timeZone);
  const days = daysOf(month).filter((day) => day >= today);
  const marks = await announceDays(ctx, of.typeId, calendarIds, days);
  let requestedAt = ctx.clock.now();
  const open = await provider.dates(month, of, () => {
    requestedAt = ctx.clock.now();
  });
  const empty = days.filter((day) => !open.includes(day));
  await saveDays(ctx, of.typeId, calendarIds, { days: empty, starts: [], marks }, requestedAt);
}

function daysOf(month: string): Day[] {
  const days: Day[] = [];
  for (let day: Day = `${month}-01`; day.startsWith(month); day = addDays(day, 1)) days.push(day);
  return days;
}
