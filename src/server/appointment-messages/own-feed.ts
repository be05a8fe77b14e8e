import type { CalendarFeedView, CreatedCalendarFeed } from '#contract/calendar.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { ownId } from './own-id.ts';

/** Returns whether the caller's appointments have a calendar subscription link. Staff users only. */
export async function getFeed(ctx: Context): Promise<CalendarFeedView> {
  const where = { tenantId_id: { tenantId: ctx.tenantId, id: ownId(ctx) } };
  const { calendarFeedAt } = await ctx.db.staffUser.findUniqueOrThrow({ where, select: { calendarFeedAt: true } });
  return { made_at: calendarFeedAt?.toISOString() ?? null };
}

/** Creates a calendar subscription link, which replaces the previous one. Staff users only. */
export async function createFeed(ctx: Context): Promise<CreatedCalendarFeed> {
  const token = newLinkToken(ctx.tenantId);
  const now = ctx.clock.now();
  await write(ctx, 'account.make_calendar_link', { calendarFeedHash: sha256(token), calendarFeedAt: now });
  return { url: `${ctx.config.publicUrl}/api/calendars/${token}.ics`, made_at: now.toISOString() };
}

/** Invalidates the link; idempotent. Staff users only. */
export async function deleteFeed(ctx: Context): Promise<CalendarFeedView> {
  await write(ctx, 'account.end_calendar_link', { calendarFeedHash: null, calendarFeedAt: null });
  return { made_at: null };
}

async function write(
  ctx: Context,
  action: string,
  data: { calendarFeedHash: string | null; calendarFeedAt: Date | null },
): Promise<void> {
  const id = ownId(ctx);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    await tx.staffUser.update({ where: { tenantId_id: { tenantId, id } }, data });
    await record(tx, ctx, { action, object: { type: 'StaffUser', id } });
  });
}
