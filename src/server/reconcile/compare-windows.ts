import type { SchedulingReconcile } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import type { AcuityAccount } from '#server/integrations/acuity-account.ts';
import type { AppointmentListing } from '#server/providers/scheduling-provider.ts';
import { compareAppointments, queueRefresh } from '#server/scheduling/sync/compare-appointments.ts';
import { boundsOf, type DayWindow, splitWindow } from './day-windows.ts';

/** The context of a step: the account, its progress and how to store it. */
export type WindowStep = {
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
export async function compareWindows(step: WindowStep): Promise<void> {
  const total = windowsIn(step.state.passLeft).length + windowsIn(step.state.windows).length;
  let calls = Math.ceil(total / STEPS_A_PASS);
  for (; calls > 0 && windowsIn(step.state.passLeft).length > 0; calls -= 1) {
    const [window, ...left] = windowsIn(step.state.passLeft) as [DayWindow, ...DayWindow[]];
    const parts = await compareWindow(step, window, left);
    // A window that did not fit one response is split, and each half takes a call.
    calls += parts;
  }
}

const windowsIn = (json: Prisma.JsonValue): DayWindow[] => json as DayWindow[];

/** @returns the number of windows that replaced it because it did not fit one response */
async function compareWindow(step: WindowStep, window: DayWindow, left: DayWindow[]): Promise<number> {
  const { ctx, account, zone } = step;
  const readAt = ctx.clock.now();
  const whole = await account.provider.appointmentsBetween({ firstDay: window.first, lastDay: window.last });
  const parts = whole.isFull ? splitWindow(window) : null;
  if (parts) {
    await step.save({ passLeft: [...parts, ...left] });
    return parts.length;
  }
  const { from, until } = boundsOf(window, zone);
  const { items, unreadable } = whole.isFull ? await listByCalendar(step, window, whole) : whole;
  if (unreadable.length > 0) ctx.log.warn({ unreadable }, 'appointments at Acuity that cannot be read');
  const listed = items.filter(({ startAt }) => startAt >= from && startAt < until);
  const known = { from, until, items: listed, unreadable, readAt };
  const differing = await compareAppointments(ctx, account.accountId, known);
  const since = await webhookSince(step);
  await queueLooks(step, differing, since);
  await step.save({
    passLeft: left,
    windows: [...windowsIn(step.state.windows), window],
    compared: { increment: listed.length },
    differing: { increment: differing.length },
    ...(left.length === 0 && endOfPass(step, since)),
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
  seen: AppointmentListing,
): Promise<AppointmentListing> {
  const { ctx, account, zone } = step;
  const { from, until } = boundsOf(window, zone);
  const within = { tenantId: ctx.tenantId, status: 'scheduled', startAt: { gte: from, lt: until } };
  const rows = await ctx.db.appointment.findMany({ where: within, select: { calendarId: true } });
  const calendars = [
    ...(await account.provider.calendars()).map(({ id }) => id),
    ...[...seen.items, ...rows].map(({ calendarId }) => calendarId),
  ];
  const all = new Map(seen.items.map((item) => [item.id, item]));
  const unreadable = new Set(seen.unreadable);
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
async function queueLooks({ ctx, account, state, stepMs }: WindowStep, ids: number[], since: Date | null) {
  const { accountId } = account;
  const first = Math.max(
    ctx.clock.now().getTime() + stepMs,
    state.passStartedAt!.getTime() + state.differing * SPACING_MS,
  );
  const isFirst = state.passEndedAt === null || (since !== null && state.passEndedAt < since);
  for (const [index, providerAppointmentId] of ids.entries())
    await queueRefresh(ctx, {
      ...{ accountId, providerAppointmentId, runAt: new Date(first + index * SPACING_MS) },
      counts: !isFirst,
    });
}
