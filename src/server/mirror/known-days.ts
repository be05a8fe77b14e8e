import { setTimeout as pause } from 'node:timers/promises';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import type { Day } from '#server/core/zone.ts';
import type { Turn } from '#server/providers/request-budget.ts';
import { isTypeGone, SchedulingError } from '#server/providers/scheduling-provider.ts';
import { fillDays, type WantedDays } from './fill-days.ts';
import { isKnown, type KnownDay, readDays } from './mirrored-days.ts';

/** Nobody waits longer for the provider to tell of free times; the asking goes on without them. */
export const PATIENCE_MS = 5 * SECOND;
/**
 * An answer that a change overtook is asked for again, for as long as its asker waits; what is nearer to a mistake of ours
 * than to a busy day has an end.
 */
const MAX_ROUNDS = 20;
/** What is older than this part of what may be given out is asked for behind the answer, should nobody renew it. */
const RENEWED_BY = 3 / 4;
/** Errors that last: a read fails with them, also with `partial`. */
const LASTING = new Set(['integration_not_connected', 'integration_misconfigured']);
/** In ages that may be given out: well within the time for which a clinic's times are renewed after the last question. */
const NOTED_FOR = 3;
/** A call that hangs fails only after a read has given up: the next reads report its error for as long as this. */
const FAILURE_MS = MINUTE;

type Manner = {
  /** What is older is waited for; unless said, `config.scheduling.renewMs`. */
  maxAgeMs?: number;
  /** How long, in ms. */
  patienceMs?: number;
  /** Not all is needed. */
  partial?: boolean;
  turn?: Turn;
};
/**
 * `days`: none but wanted ones. `missing`: the wanted days that the provider did not tell of in time; `trouble`: why,
 * unless it is only slow; `gone`: the error that says that it no longer has the type or one of the calendars.
 */
type Known = {
  days: KnownDay[];
  missing: { calendarId: number; day: Day }[];
  trouble: SchedulingError | null;
  gone?: SchedulingError;
};

/**
 * The wanted days as the provider last told. What is spoilt, unknown or too old is waited for, at most so long; then
 * 503 `provider_unavailable` says in `Retry-After` when it may be there, or, with `partial`, what is known is given.
 * Whatever the provider refuses is thrown, unless something else is known and that is enough.
 */
export async function knownDays(
  ctx: Context,
  typeId: number,
  wanted: WantedDays[],
  manner: Manner = {},
): Promise<Known> {
  const { renewMs } = ctx.config.scheduling;
  const { maxAgeMs = renewMs, patienceMs = PATIENCE_MS, partial = false, turn = 'asked' } = manner;
  const all = wanted.flatMap(({ days }) => days).sort();
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return { days: [], missing: [], trouble: null };
  const ids = wanted.map(({ calendar }) => calendar.id);
  // Calendars of several time zones may want different days.
  const keys = new Set(wanted.flatMap(({ calendar, days }) => days.map((day) => `${calendar.id}/${day}`)));
  const read = async () =>
    (await readDays(ctx, typeId, ids, [first, last])).filter(({ calendarId, day }) => keys.has(`${calendarId}/${day}`));
  const until = performance.now() + patienceMs;
  let days = await read();
  const { failures } = ctx.mirror;
  let trouble: unknown = null;
  // What is missing is judged by the instant by which the last round found nothing, or something, to ask for: a day that
  // expires between two readings of the clock is neither fetched nor missing.
  let judgedAt = ctx.clock.now().getTime();
  for (let round = 0; round < MAX_ROUNDS && performance.now() < until; round += 1) {
    if (round > 0) judgedAt = ctx.clock.now().getTime();
    const needed = lacking(wanted, days, maxAgeMs, judgedAt);
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
  const missing = lacking(wanted, days, maxAgeMs, judgedAt).flatMap((part) =>
    part.days.map((day) => ({ calendarId: part.calendar.id, day })),
  );
  if (missing.length > 0) {
    const isLasting = trouble instanceof CarelaneError && LASTING.has(trouble.code);
    if (trouble && (isLasting || !partial || !(trouble instanceof SchedulingError))) throw trouble;
    if (!partial) throw stillAsking(ctx, missing.length);
  }
  noteWanted(ctx, typeId, wanted, days);
  const old = lacking(wanted, days, renewMs * RENEWED_BY, ctx.clock.now().getTime());
  if (missing.length === 0 && old.length > 0 && maxAgeMs >= renewMs) behind(ctx, fillDays(ctx, typeId, old, 'behind'));
  const failure = failures.get(ctx.tenantId);
  const isRecent = failure && missing.length > 0 && ctx.clock.now().getTime() - failure.at < FAILURE_MS;
  return { days, missing, trouble: isRecent ? failure.error : null, ...(isTypeGone(trouble) && { gone: trouble }) };
}

/** Whether calls of ours only have to wait for their turn. */
const isSlow = ({ cause }: SchedulingError): boolean => (cause as Error | undefined)?.name === 'BudgetExhausted';

/** Of the wanted days those that are not known well enough. */
function lacking(wanted: WantedDays[], days: KnownDay[], maxAgeMs: number, now: number): WantedDays[] {
  const byKey = new Map(days.map((row) => [`${row.calendarId}/${row.day}`, row]));
  return wanted
    .map(({ calendar, days: its }) => ({
      calendar,
      days: its.filter((day) => !isKnown(byKey.get(`${calendar.id}/${day}`), maxAgeMs, now)),
    }))
    .filter((part) => part.days.length > 0);
}

/** As many seconds as what is missing takes, if nobody else asks. */
function stillAsking(ctx: Context, days: number): SchedulingError {
  const seconds = Math.ceil(Math.min(60, Math.max(1, days / ctx.config.scheduling.requestsPerSecond)));
  const detail = `${SCHEDULING_PROVIDER.name} is still being asked for ${days} days of calendars, which goes on. Ask again in ${seconds} seconds, or with partial=true for what is known.`;
  return new SchedulingError('provider_unavailable', detail, {
    effect: 'none',
    headers: { 'retry-after': String(seconds) },
    people: `${SCHEDULING_PROVIDER.name} is still telling us the free times. They will be here in a few seconds.`,
  });
}

/**
 * Remembers that the days were asked for, which is why they are renewed: once in a while, whatever number of times they
 * are read, and behind the answer.
 */
function noteWanted(ctx: Context, typeId: number, wanted: WantedDays[], days: KnownDay[]): void {
  const before = ctx.clock.now().getTime() - ctx.config.scheduling.renewMs;
  const byKey = new Map(days.map((row) => [`${row.calendarId}/${row.day}`, row]));
  const due = wanted.flatMap(({ calendar, days: its }) =>
    its
      .filter((day) => (byKey.get(`${calendar.id}/${day}`)?.wantedAt ?? 0) < before)
      .map((day) => ({ calendarId: calendar.id, day })),
  );
  if (due.length === 0) return;
  // Locked in the order in which answers are written.
  due.sort((a, b) => a.calendarId - b.calendarId || (a.day < b.day ? -1 : 1));
  behind(ctx, write());

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
    const { noted } = ctx.mirror;
    if ((noted.get(ctx.tenantId) ?? 0) > now.getTime() - NOTED_FOR * ctx.config.scheduling.renewMs) return;
    await ctx.db.tenantRoute.createMany({ data: [{ key: RENEWED, tenantId: ctx.tenantId }], skipDuplicates: true });
    noted.set(ctx.tenantId, now.getTime());
  }
}

/** The key that leads to the tenants whose free times are renewed. */
export const RENEWED = 'times';

/** Goes on when the answer is given; the services wait for it before they end. */
function behind(ctx: Context, work: Promise<void>): void {
  const { unawaited } = ctx.mirror;
  const done = work
    .catch((error: Error) => ctx.log.warn({ err: error.message }, 'availability could not be refreshed'))
    .finally(() => unawaited.delete(done));
  unawaited.add(done);
}

/** When the oldest of what was used was told, and says so to the door. */
export function noteAge(ctx: Context, days: { askedAt: number }[]): string | null {
  if (days.length === 0) return null;
  const oldest = days.reduce((least, { askedAt }) => Math.min(least, askedAt), Number.POSITIVE_INFINITY);
  ctx.onAge(Math.max(0, Math.floor((ctx.clock.now().getTime() - oldest) / SECOND)));
  return new Date(oldest).toISOString();
}
