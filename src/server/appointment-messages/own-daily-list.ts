import type { DailyListInput, DailyListView } from '#contract/daily-list.ts';
import type { DailyList } from '#generated/prisma/client.ts';
import { getEmailBranding } from '#server/clinic/email-branding.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { addTenantWithLists, nextListAt, removeTenantWithoutLists } from './daily-list.ts';
import { ownId } from './own-id.ts';

const AT_SEVEN = 7;

const present = (row: DailyList | null): DailyListView => ({
  is_on: row?.dueAt != null,
  hour: row?.hour ?? AT_SEVEN,
  time_zone: row?.timeZone ?? null,
  on_empty_days: row?.onEmptyDays ?? false,
  last:
    row?.claimedAt && row.state
      ? { at: row.claimedAt.toISOString(), became: row.state as NonNullable<DailyListView['last']>['became'] }
      : null,
});

/** Returns the caller's settings of the daily list by email. Staff users only. */
export async function getDailyList(ctx: Context): Promise<DailyListView> {
  const where = { tenantId_userId: { tenantId: ctx.tenantId, userId: ownId(ctx) } };
  return present(await ctx.db.dailyList.findUnique({ where }));
}

/** Sets the daily list; idempotent. A day whose list was started gets no second one. Staff users only. */
export async function setDailyList(ctx: Context, input: DailyListInput): Promise<DailyListView> {
  const { tenantId } = ctx;
  const userId = ownId(ctx);
  const { timeZone: ofClinic } = await getEmailBranding(ctx, tenantId);
  return ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const { is_on, hour, time_zone, on_empty_days } = input;
    const chosen = { hour, timeZone: time_zone, onEmptyDays: on_empty_days, updatedAt: now };
    const where = { tenantId_userId: { tenantId, userId } };
    // Locks the row, so that a concurrent delivery has stored its day.
    const { day } = await tx.dailyList.upsert({ where, create: { tenantId, userId, ...chosen }, update: chosen });
    const dueAt = is_on ? nextListAt({ hour, day }, time_zone ?? ofClinic, now) : null;
    const row = await tx.dailyList.update({ where, data: { dueAt } });
    await (is_on ? addTenantWithLists(tx, tenantId) : removeTenantWithoutLists(tx, tenantId));
    const details = { is_on, hour, on_empty_days };
    await record(tx, ctx, { action: 'account.set_daily_list', object: { type: 'StaffUser', id: userId }, details });
    return present(row);
  });
}
