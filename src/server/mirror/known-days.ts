import { setTimeout as pause } from 'node:timers/promises';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { type Day, localDay, type Minute, toMinute } from '#server/core/zone.ts';
import { getSchedulingAccount, type SchedulingAccount } from '#server/integrations/index.ts';
import { isTypeGone, type Priority, prioritiesUpTo, SchedulingError } from '#server/providers/scheduling-provider.ts';
import { announceDays, isKnown, type KnownDay, type Marks, readDays, saveDays } from './mirrored-days.ts';

/** Maximum time that a caller waits for availability; the calls continue in the background. */
export const AVAILABILITY_TIMEOUT_MS = 5 * SECOND;
/**
 * A day invalidated during its fetch is fetched again while the caller waits; the bound guards against a loop by
 * mistake.
 */
const MAX_ROUNDS = 20;
/** Fraction of the maximum age after which a read refreshes the day in the background, in case renewal does not. */
const REFRESH_AFTER = 3 / 4;
/** Permanent errors: a read fails with them, also with `partial`. */
const PERMANENT = new Set(['integration_not_connected', 'integration_misconfigured']);
/** In multiples of `renewMs`; well below the time for which availability is renewed after the last request. */
const REGISTERED_FOR = 3;
/** A call that hangs fails only after its reader has timed out; the next reads report its error for this long. */
const FAILURE_MS = MINUTE;

type ReadOptions = {
  /** Older days are waited for; default `config.scheduling.renewMs`. */
  maxAgeMs?: number;
  /** Maximum wait in ms. */
  maxWaitMs?: number;
  /** Returns known days when others are missing. */
  partial?: boolean;
  turn?: Priority;
};
/**
 * `days`: only requested ones. `missing`: requested days that were not known in time; `trouble`: the reason, unless the
 * provider is only slow; `removedError`: the error that the provider no longer has the type or a calendar.
 */
type KnownDaysResult = {
  days: KnownDay[];
  missing: { calendarId: number; day: Day }[];
  trouble: SchedulingError | null;
  removedError?: SchedulingError;
};

/**
 * Returns the requested days. Waits for invalidated, unknown and expired ones at most `maxWaitMs`.
 *
 * @throws 503 `provider_unavailable` with `Retry-After` when days are missing, unless `partial`; provider errors,
 * unless `partial` and the error is not permanent.
 */
export async function knownDays(
  ctx: Context,
  typeId: number,
  wanted: WantedDays[],
  options: ReadOptions = {},
): Promise<KnownDaysResult> {
  const { renewMs } = ctx.config.scheduling;
  const { maxAgeMs = renewMs, maxWaitMs = AVAILABILITY_TIMEOUT_MS, partial = false, turn = 'interactive' } = options;
  const all = wanted.flatMap(({ days }) => days).sort();
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return { days: [], missing: [], trouble: null };
  const ids = wanted.map(({ calendar }) => calendar.id);
  // Calendars in several time zones may need different days.
  const keys = new Set(wanted.flatMap(({ calendar, days }) => days.map((day) => `${calendar.id}/${day}`)));
  const read = async () =>
    (await readDays(ctx, typeId, ids, [first, last])).filter(({ calendarId, day }) => keys.has(`${calendarId}/${day}`));
  const until = performance.now() + maxWaitMs;
  let days = await read();
  const { failures } = ctx.mirror;
  let trouble: unknown = null;
  // `missing` uses the instant at which the last round checked for days to fetch; a day that expires between two clock
  // readings is neither fetched nor missing.
  let checkedAt = ctx.clock.now().getTime();
  for (let round = 0; round < MAX_ROUNDS && performance.now() < until; round += 1) {
    if (round > 0) checkedAt = ctx.clock.now().getTime();
    const needed = outdatedDays(wanted, days, maxAgeMs, checkedAt);
    if (needed.length === 0) break;
    const filling = fillDays(ctx, typeId, needed, turn).then(
      () => {
        failures.delete(ctx.tenantId);
        return 'filled' as const;
      },
      (error: unknown) => {
        trouble = error;
        if (error instanceof SchedulingError && !isSlow(error) && !isTypeGone(error))
          failures.set(ctx.tenantId, { error, at: ctx.clock.now().getTime() });
        return 'failed' as const;
      },
    );
    const over = new AbortController();
    const late = pause(until - performance.now(), 'late' as const, { signal: over.signal }).catch(
      () => 'late' as const,
    );
    const outcome = await Promise.race([filling, late]);
    over.abort();
    days = await read();
    if (outcome !== 'filled') break;
  }
  const missing = outdatedDays(wanted, days, maxAgeMs, checkedAt).flatMap((part) =>
    part.days.map((day) => ({ calendarId: part.calendar.id, day })),
  );
  if (missing.length > 0) {
    const isPermanent = trouble instanceof CarelaneError && PERMANENT.has(trouble.code);
    if (trouble && (isPermanent || !partial || !(trouble instanceof SchedulingError))) throw trouble;
    if (!partial) throw stillLoading(ctx, missing.length);
  }
  recordRequest(ctx, typeId, wanted, days);
  const old = outdatedDays(wanted, days, renewMs * REFRESH_AFTER, ctx.clock.now().getTime());
  if (missing.length === 0 && old.length > 0 && maxAgeMs >= renewMs)
    runInBackground(ctx, fillDays(ctx, typeId, old, 'background'));
  const failure = failures.get(ctx.tenantId);
  const isRecent = failure && missing.length > 0 && ctx.clock.now().getTime() - failure.at < FAILURE_MS;
  return {
    days,
    missing,
    trouble: isRecent ? failure.error : null,
    ...(isTypeGone(trouble) && { removedError: trouble }),
  };
}

/** True when calls only wait for the request budget. */
const isSlow = ({ cause }: SchedulingError): boolean => (cause as Error | undefined)?.name === 'BudgetExhausted';

/** Returns the requested days that are not current. */
function outdatedDays(wanted: WantedDays[], days: KnownDay[], maxAgeMs: number, now: number): WantedDays[] {
  const byKey = new Map(days.map((row) => [`${row.calendarId}/${row.day}`, row]));
  return wanted
    .map(({ calendar, days: its }) => ({
      calendar,
      days: its.filter((day) => !isKnown(byKey.get(`${calendar.id}/${day}`), maxAgeMs, now)),
    }))
    .filter((part) => part.days.length > 0);
}

/** The delay in seconds is the time for the missing days without other callers. */
function stillLoading(ctx: Context, days: number): SchedulingError {
  const seconds = Math.ceil(Math.min(60, Math.max(1, days / ctx.config.scheduling.requestsPerSecond)));
  const detail = `${SCHEDULING_PROVIDER.name} is still being asked for ${days} days of calendars, which goes on. Ask again in ${seconds} seconds, or with partial=true for what is known.`;
  return new SchedulingError('provider_unavailable', detail, {
    effect: 'none',
    headers: { 'retry-after': String(seconds) },
    people: `${SCHEDULING_PROVIDER.name} is still telling us the free times. They will be here in a few seconds.`,
  });
}

/** Records in the background that the days were requested, so that they are renewed; at most once per `renewMs`. */
function recordRequest(ctx: Context, typeId: number, wanted: WantedDays[], days: KnownDay[]): void {
  const before = ctx.clock.now().getTime() - ctx.config.scheduling.renewMs;
  const byKey = new Map(days.map((row) => [`${row.calendarId}/${row.day}`, row]));
  const due = wanted.flatMap(({ calendar, days: its }) =>
    its
      .filter((day) => (byKey.get(`${calendar.id}/${day}`)?.wantedAt ?? 0) < before)
      .map((day) => ({ calendarId: calendar.id, day })),
  );
  if (due.length === 0) return;
  // Locks rows in the order in which responses are written.
  due.sort((a, b) => a.calendarId - b.calendarId || (a.day < b.day ? -1 : 1));
  runInBackground(ctx, write());

  async function write(): Promise<void> {
    const now = ctx.clock.now();
    await ctx.db.$executeRaw`
      with wanted as (
        select d.calendar_id, d.day from availability_days d
        join unnest(${due.map(({ calendarId }) => calendarId)}::int[], ${due.map(({ day }) => day)}::text[])
          as w (calendar_id, day) on d.calendar_id = w.calendar_id and d.day = w.day
        where d.tenant_id = ${ctx.tenantId}::uuid and d.appointment_type_id = ${typeId}
        order by 1, 2 for update of d skip locked)
      update availability_days d set asked_at = ${now}::timestamptz from wanted w
      where d.tenant_id = ${ctx.tenantId}::uuid and d.appointment_type_id = ${typeId}
        and d.calendar_id = w.calendar_id and d.day = w.day`;
    const { registeredAt } = ctx.mirror;
    if ((registeredAt.get(ctx.tenantId) ?? 0) > now.getTime() - REGISTERED_FOR * ctx.config.scheduling.renewMs) return;
    await ctx.db.tenantRoute.createMany({
      data: [{ key: RENEWED_TENANTS, tenantId: ctx.tenantId }],
      skipDuplicates: true,
    });
    registeredAt.set(ctx.tenantId, now.getTime());
  }
}

/** Route key of the tenants whose availability is renewed. */
export const RENEWED_TENANTS = 'times';

/** Continues after the response; the process waits for it on shutdown. */
function runInBackground(ctx: Context, work: Promise<void>): void {
  const { backgroundWork } = ctx.mirror;
  const done = work
    .catch((error: Error) => ctx.log.warn({ err: error.message }, 'availability could not be refreshed'))
    .finally(() => backgroundWork.delete(done));
  backgroundWork.add(done);
}

/** Returns the instant of the oldest used day and reports its age to the handler. */
export function reportAge(ctx: Context, days: { fetchedAt: number }[]): string | null {
  if (days.length === 0) return null;
  const oldest = days.reduce((least, { fetchedAt }) => Math.min(least, fetchedAt), Number.POSITIVE_INFINITY);
  ctx.onAge(Math.max(0, Math.floor((ctx.clock.now().getTime() - oldest) / SECOND)));
  return new Date(oldest).toISOString();
}

/** Returns the result of the work, or throws 503 `provider_unavailable` after `ms`; the work continues. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = pause(Math.max(0, ms), null, { signal: over.signal }).then(() => {
    throw new SchedulingError('provider_unavailable', `${SCHEDULING_PROVIDER.name} did not answer in time.`, {
      effect: 'none',
    });
  });
  late.catch(() => {});
  work.catch(() => {}); // Prevents an unhandled rejection after the timeout.
  return Promise.race([work, late]).finally(() => over.abort());
}

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
    const findCall = (day: Day) =>
      prioritiesUpTo(turn).flatMap((priority) => pendingCalls.get(keyOf(day, priority)) ?? [])[0];
    const unfetched = days.filter((day) => !findCall(day));
    calls.push(...days.flatMap((day) => findCall(day) ?? []));
    if (unfetched.length === 0) continue;
    const resolvers = new Map<Day, () => void>();
    const all = fetchDays(ctx, typeId, calendar, unfetched, { turn, onSaved: (day) => resolvers.get(day)?.() });
    for (const day of unfetched) {
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
  const isWaitedFor = turn !== 'background' && first !== undefined;
  const requestedAt = ctx.clock.now();
  try {
    if (isWaitedFor) await fetchDay(dayFetch, first);
    await fetchOpenDays(dayFetch, isWaitedFor ? rest : days);
  } catch (error) {
    // A removed type or calendar has no slots; the caller gets the error.
    if (isTypeGone(error)) await saveDays(ctx, typeId, [calendar.id], { days, starts: [], marks }, requestedAt);
    throw error;
  }
}

/** For several days, first fetches which of them have slots, which saves a call for each empty one. */
async function fetchOpenDays(dayFetch: DayFetch, days: Day[]): Promise<void> {
  const { ctx, provider, marks, onSaved, of } = dayFetch;
  let open = days;
  if (days.length > 1) {
    const months = [...new Set(days.map((day) => day.slice(0, 7)))];
    let requestedAt: Date | null = null;
    const onSent = () => {
      requestedAt ??= ctx.clock.now();
    };
    const dates = new Set((await Promise.all(months.map((month) => provider.dates(month, of, onSent)))).flat());
    open = days.filter((day) => dates.has(day));
    const empty = days.filter((day) => !dates.has(day));
    await saveDays(ctx, of.typeId, [of.calendarId], { days: empty, starts: [], marks }, requestedAt ?? ctx.clock.now());
    for (const day of empty) onSaved(day);
  }
  await Promise.all(open.map((day) => fetchDay(dayFetch, day)));
}

async function fetchDay({ ctx, provider, marks, onSaved, of }: DayFetch, day: Day): Promise<void> {
  let requestedAt = ctx.clock.now();
  const times = await provider.times(day, of, {
    onSent: () => {
      requestedAt = ctx.clock.now();
    },
  });
  const starts = sortedStarts(times.map(toMinute), day, of.timeZone);
  await saveDays(ctx, of.typeId, [of.calendarId], { days: [day], starts, marks }, requestedAt);
  onSaved(day);
}

/** Returns unique starts of the day, ascending. */
export const sortedStarts = (starts: Minute[], day: Day, timeZone: string): Minute[] =>
  [...new Set(starts)].filter((start) => localDay(start, timeZone) === day).sort((a, b) => a - b);
