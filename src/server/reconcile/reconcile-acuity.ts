import type { Finding } from '#contract/integrations.ts';
import type { SchedulingReconcile } from '#generated/prisma/client.ts';
import { HOUR, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Prisma, Tx } from '#server/core/db.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { addDays, type Day, localDay, startOfDay, toMinute } from '#server/core/zone.ts';
import {
  type AcuityAccount,
  findAcuityAccount,
  inspectAcuity,
  recordAcuitySilence,
  recordSchedulingRepair,
  registerAcuityWebhook,
  saveCheck,
} from '#server/integrations/index.ts';
import { type AppointmentListing, SchedulingError } from '#server/providers/scheduling-provider.ts';
import { compareAppointments, queueRefresh, resolveUnknownOutcomes } from '#server/scheduling/index.ts';
import { logStepError } from './step.ts';

/** Steps within the bound; a difference takes one more step to be read. */
const STEPS = 12;
/** Number of steps after which the next comparison starts. */
const STEPS_BETWEEN = 6;
/** Longer than a step takes. After a crash, the account is blocked for this long. */
const LEASE_MS = 30 * SECOND;
/** Interval of inspecting the account's settings; while they have a problem, each comparison inspects them. */
const INSPECT_EVERY_MS = HOUR;

/** Milliseconds between two steps, from the configured bound. */
export const stepMs = ({ config }: Pick<Services, 'config'>): number => config.scheduling.reconcileMs / STEPS;
export const keyOf = (tenantId: string): string => `reconcile_acuity:${tenantId}`;

export const queueStep = (db: Pick<Tx, '$executeRaw'>, tenantId: string, runAt: Date): Promise<void> =>
  enqueue(db, 'reconcile_acuity', { tenantId }, { runAt, key: keyOf(tenantId) });

/**
 * Runs one step of the comparison that makes up for lost webhooks: compares some of the account's appointments, from
 * yesterday to ninety days ahead, so that each is compared within the bound (`ACUITY_RECONCILE_SECONDS`). Acuity has no
 * list of changes, so all are listed; a differing one is read one step later, because its webhook may be on its way.
 * Progress is stored after each response, so a crashed step is continued. A lease allows one runner per clinic. Errors
 * of Acuity are noted and left to the next step, which is always queued.
 */
export async function reconcileAcuity(services: Services, { tenantId }: Jobs['reconcile_acuity']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'reconcile_acuity');
  // Not queued behind renewals: a step occupies one of the worker's few slots.
  const account = await findAcuityAccount(ctx, 'interactive');
  // Once an account is connected, its steps are queued again.
  if (!account) return;
  const startedAt = ctx.clock.now().getTime();
  const step = await takeLease(ctx, account);
  if (step) {
    const lastError = await runStep(step)
      .then(() => null)
      .catch((error: unknown) => lastErrorOf(step, error))
      .catch((error: unknown) => logStepError(ctx, error));
    await ctx.db.schedulingReconcile.updateMany({
      where: step.where,
      data: { runner: null, leasedUntil: null, lastRunAt: ctx.clock.now(), lastError },
    });
  }
  await queueStep(ctx.db, tenantId, new Date(startedAt + stepMs(ctx)));
}

async function runStep(step: WindowStep): Promise<void> {
  const startsPass = isDue(step);
  if (startsPass) await beginPass(step);
  await compareWindows(step);
  // Only now is it known that Acuity responds: while it hangs, these reads would block the worker for other clinics.
  if (startsPass) await resolveUnknownOutcomes(step.ctx);
  await recordAcuitySilence(step.ctx, step.account);
}

const isDue = ({ ctx, state: { passStartedAt, passEndedAt }, stepMs }: WindowStep): boolean => {
  if (passStartedAt === null) return true;
  const isRunning = passEndedAt === null || passEndedAt < passStartedAt;
  return !isRunning && ctx.clock.now().getTime() - passStartedAt.getTime() >= (STEPS_BETWEEN - 0.5) * stepMs;
};

/**
 * Checks the webhook, and from time to time the account's settings; problems become findings. Requests in progress are
 * not compared: their outcome is looked up.
 */
async function beginPass(step: WindowStep): Promise<void> {
  const { ctx, account } = step;
  const { tenantId, db } = ctx;
  const id = { tenantId_provider: { tenantId, provider: 'acuity' } };
  const row = await db.integration.findUniqueOrThrow({ where: id });
  const settings = row.settings as { webhook_id?: number | null; time_zone?: string };
  const webhookId = await ensureWebhook(step, settings.webhook_id ?? null);
  if (webhookId !== null && webhookId !== settings.webhook_id)
    await db.$transaction(async (tx) => {
      await tx.integration.updateMany({
        where: { tenantId, provider: 'acuity', accountId: row.accountId },
        data: { settings: { ...settings, webhook_id: webhookId, webhook_since: ctx.clock.now().toISOString() } },
      });
      const repair = { accountId: account.accountId, objectId: String(webhookId), what: 'webhook' };
      await recordSchedulingRepair(tx, ctx, repair);
    });
  const isOld = !row.checkedAt || ctx.clock.now().getTime() - row.checkedAt.getTime() >= INSPECT_EVERY_MS;
  // Late repairs show by themselves when webhooks become silent and when they resume.
  const isOther = ({ code }: Finding) => code !== 'webhooks_silent' || step.state.silentSince === null;
  const isWrong = row.status !== 'connected' && (row.findings as Finding[]).some(isOther);
  const isWebhookLost = webhookId === null && settings.webhook_id != null;
  if (isOld || isWrong || isWebhookLost) await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
  const passLeft = adjustWindows(step.state.windows as never, wholeWindow(ctx, step.zone));
  await step.save({ passStartedAt: ctx.clock.now(), passLeft, windows: [], compared: 0, differing: 0 });
}

/**
 * Returns null when Acuity rejects the webhook, which an inspection of the settings reports, and the known id when
 * Acuity does not respond; the comparison then continues.
 */
async function ensureWebhook({ ctx, account }: WindowStep, knownId: number | null): Promise<number | null> {
  try {
    return await registerAcuityWebhook(ctx, account.provider);
  } catch (error) {
    if (!(error instanceof SchedulingError) || error.code === 'integration_misconfigured') throw error;
    ctx.log.warn({ tenantId: ctx.tenantId, err: error.message }, 'Acuity takes no webhook');
    return error.reason === null ? knownId : null;
  }
}

/** Returns the error for the portal. */
async function lastErrorOf({ ctx, account }: WindowStep, error: unknown): Promise<string> {
  if (error instanceof CarelaneError && error.code === 'integration_misconfigured')
    await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
  return logStepError(ctx, error);
}

/** Returns null while another runner has the lease. */
async function takeLease(ctx: Context, account: AcuityAccount): Promise<WindowStep | null> {
  const { tenantId, db } = ctx;
  const { accountId } = account;
  const now = ctx.clock.now();
  const runner = newId(now);
  const until = () => new Date(ctx.clock.now().getTime() + LEASE_MS);
  await db.schedulingReconcile.createMany({ data: [{ tenantId, accountId }], skipDuplicates: true });
  const [state] = await db.schedulingReconcile.updateManyAndReturn({
    where: { tenantId, accountId, OR: [{ leasedUntil: null }, { leasedUntil: { lt: now } }] },
    data: { runner, leasedUntil: until() },
  });
  if (!state) return null;
  const { settings } = await db.integration.findFirstOrThrow({ where: { tenantId, provider: 'acuity' } });
  const where = { tenantId, accountId, runner };
  const step: WindowStep = {
    ctx,
    account,
    zone: (settings as { time_zone?: string }).time_zone ?? 'UTC',
    where,
    state,
    stepMs: stepMs(ctx),
    async save(data: Prisma.SchedulingReconcileUpdateManyMutationInput) {
      const [saved] = await db.schedulingReconcile.updateManyAndReturn({
        where,
        data: { ...data, leasedUntil: until() },
      });
      if (!saved) throw new Error('another runner has taken over');
      step.state = saved satisfies SchedulingReconcile;
    },
  };
  return step;
}

/** The context of a step: the account, its progress and how to store it. */
type WindowStep = {
  ctx: Context;
  account: AcuityAccount;
  /** The account's time zone, which defines the days of its list. */
  zone: string;
  /** Matches the row while this runner has the lease. */
  where: { tenantId: string; accountId: string; runner: string };
  state: SchedulingReconcile;
  /** Milliseconds between two steps. */
  stepMs: number;
  /** Stores the progress and renews the lease; throws when another runner has taken over. */
  save(data: Prisma.SchedulingReconcileUpdateManyMutationInput): Promise<void>;
};

/** Number of steps that a comparison takes. */
const STEPS_A_PASS = 4;
/** Spacing of the reads of differing appointments: Acuity allows ten requests per second, shared with other callers. */
const SPACING_MS = 250;

/** Continues the comparison with a share of the remaining days. */
async function compareWindows(step: WindowStep): Promise<void> {
  const total = windowsIn(step.state.passLeft).length + windowsIn(step.state.windows).length;
  let calls = Math.ceil(total / STEPS_A_PASS);
  for (; calls > 0 && windowsIn(step.state.passLeft).length > 0; calls -= 1) {
    const [window, ...remaining] = windowsIn(step.state.passLeft) as [DayWindow, ...DayWindow[]];
    const parts = await compareWindow(step, window, remaining);
    // A window that did not fit one response is split, and each half takes a call.
    calls += parts;
  }
}

const windowsIn = (json: Prisma.JsonValue): DayWindow[] => json as DayWindow[];

/** @returns the number of windows that replaced it because it did not fit one response */
async function compareWindow(step: WindowStep, window: DayWindow, remaining: DayWindow[]): Promise<number> {
  const { ctx, account, zone } = step;
  const readAt = ctx.clock.now();
  const listing = await account.provider.appointmentsBetween({ firstDay: window.first, lastDay: window.last });
  const parts = listing.isFull ? splitWindow(window) : null;
  if (parts) {
    await step.save({ passLeft: [...parts, ...remaining] });
    return parts.length;
  }
  const { from, until } = boundsOf(window, zone);
  const { items, unreadable } = listing.isFull ? await listByCalendar(step, window, listing) : listing;
  if (unreadable.length > 0) ctx.log.warn({ unreadable }, 'appointments at Acuity that cannot be read');
  const listed = items.filter(({ startAt }) => startAt >= from && startAt < until);
  const listedWindow = { from, until, items: listed, unreadable, readAt };
  const differing = await compareAppointments(ctx, account.accountId, listedWindow);
  const since = await webhookSince(step);
  await queueRefreshes(step, differing, since);
  await step.save({
    passLeft: remaining,
    windows: [...windowsIn(step.state.windows), window],
    compared: { increment: listed.length },
    differing: { increment: differing.length },
    ...(remaining.length === 0 && endOfPass(step, since)),
  });
  return 0;
}

/** Since when the webhook is registered at Acuity; null while it is not. */
async function webhookSince({ ctx }: WindowStep): Promise<Date | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  const { webhook_since } = (row?.settings ?? {}) as { webhook_since?: string | null };
  return webhook_since ? new Date(webhook_since) : null;
}

/** A comparison during which the webhook was registered starts again: earlier changes had no webhook. */
const endOfPass = ({ ctx, state: { passStartedAt } }: WindowStep, since: Date | null) =>
  since && passStartedAt && passStartedAt < since ? { passStartedAt: null } : { passEndedAt: ctx.clock.now() };

/**
 * Lists a day that exceeds one response calendar by calendar: the calendars at Acuity, those in the truncated list, and
 * those of stored appointments.
 */
async function listByCalendar(
  step: WindowStep,
  window: DayWindow,
  truncated: AppointmentListing,
): Promise<AppointmentListing> {
  const { ctx, account, zone } = step;
  const { from, until } = boundsOf(window, zone);
  const within = { tenantId: ctx.tenantId, status: 'scheduled', startAt: { gte: from, lt: until } };
  const rows = await ctx.db.appointment.findMany({ where: within, select: { calendarId: true } });
  const calendars = [
    ...(await account.provider.calendars()).map(({ id }) => id),
    ...[...truncated.items, ...rows].map(({ calendarId }) => calendarId),
  ];
  const all = new Map(truncated.items.map((item) => [item.id, item]));
  const unreadable = new Set(truncated.unreadable);
  for (const calendarId of new Set(calendars)) {
    const part = await account.provider.appointmentsBetween({
      firstDay: window.first,
      lastDay: window.last,
      calendarId,
    });
    if (part.isFull)
      ctx.log.warn(
        { day: window.first, calendarId },
        'more appointments of a calendar on a day than Acuity lists at once',
      );
    for (const item of part.items) all.set(item.id, item);
    for (const id of part.unreadable) unreadable.add(id);
    await step.save({});
  }
  return { items: [...all.values()], unreadable: [...unreadable], isFull: false };
}

/**
 * Queues reads of differing appointments, delayed by one step because the webhook may be on its way, and spaced. Until
 * a whole comparison has followed the registration of the webhook, a difference does not count as a lost webhook.
 */
async function queueRefreshes({ ctx, account, state, stepMs }: WindowStep, ids: number[], since: Date | null) {
  const { accountId } = account;
  const { passStartedAt } = state;
  if (!passStartedAt) throw new Error('no comparison is running');
  const first = Math.max(ctx.clock.now().getTime() + stepMs, passStartedAt.getTime() + state.differing * SPACING_MS);
  const isFirst = state.passEndedAt === null || (since !== null && state.passEndedAt < since);
  for (const [index, providerAppointmentId] of ids.entries())
    await queueRefresh(ctx, {
      ...{ accountId, providerAppointmentId, runAt: new Date(first + index * SPACING_MS) },
      counts: !isFirst,
    });
}

/** Whole days in the account's time zone, both inclusive. */
type DayWindow = { first: Day; last: Day };

const DAYS_BACK = 1;
const DAYS_AHEAD = 90;

/** All compared days: from yesterday to ninety days ahead. */
function wholeWindow({ clock }: Pick<Context, 'clock'>, zone: string): DayWindow {
  const today = localDay(toMinute(clock.now()), zone);
  return { first: addDays(today, -DAYS_BACK), last: addDays(today, DAYS_AHEAD) };
}

const daysOf = ({ first, last }: DayWindow): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;

/** Splits a window that exceeds one response in two halves; null for a single day. */
function splitWindow(window: DayWindow): [DayWindow, DayWindow] | null {
  const days = daysOf(window);
  if (days < 2) return null;
  const middle = addDays(window.first, Math.floor(days / 2) - 1);
  return [
    { first: window.first, last: middle },
    { first: addDays(middle, 1), last: window.last },
  ];
}

/** The windows that fitted last time, adjusted to the days that are compared now. */
function adjustWindows(previous: DayWindow[], range: DayWindow): DayWindow[] {
  const inside = previous
    .filter(({ first, last }) => last >= range.first && first <= range.last)
    .map(({ first, last }) => ({ first, last: last > range.last ? range.last : last }));
  const [first] = inside;
  const last = inside.at(-1);
  if (!first || !last) return [range];
  first.first = range.first;
  last.last = range.last;
  return inside;
}

/** The start of a window and of the day after it. */
const boundsOf = ({ first, last }: DayWindow, zone: string): { from: Date; until: Date } => ({
  from: new Date(startOfDay(first, zone) * 60_000),
  until: new Date(startOfDay(addDays(last, 1), zone) * 60_000),
});
