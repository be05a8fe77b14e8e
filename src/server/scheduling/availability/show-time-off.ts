import type { ListTimeOffInput, TimeOff } from '#contract/calendar.ts';
import { requireStaff } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { addDays } from '#server/core/zone.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import { AVAILABILITY_TIMEOUT_MS, withTimeout } from '#server/mirror/index.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';

const MAX_DAYS = 43;

/**
 * Returns the time off of calendars from the provider, which has no data on working hours. Covers whole days of the
 * account's zone and one more on either side, because a reader's days may be other ones. Staff users only.
 *
 * @throws 422 `range_too_long`, `integration_not_connected`; 502, 503, 504 naming the provider, within about five
 * seconds.
 */
export async function showTimeOff(ctx: Context, { from_date, to_date }: ListTimeOffInput): Promise<TimeOff[]> {
  requireStaff(ctx.actor, 'appointments:read');
  const days = (Date.parse(to_date) - Date.parse(from_date)) / DAY;
  if (days < 0 || days >= MAX_DAYS)
    throw apiError('range_too_long', 'At most six weeks can be shown at once.', { source: { parameter: 'to_date' } });
  const { provider } = await getSchedulingAccount(ctx);
  const of = { firstDay: addDays(from_date, -1), lastDay: addDays(to_date, 1) };
  const blocks = await withTimeout(
    getCatalogue(ctx).then(({ calendars }) => provider.blocks(of, calendars)),
    AVAILABILITY_TIMEOUT_MS,
  );
  return blocks.map(({ calendarId, startAt, endAt }) => ({
    calendar_id: calendarId,
    from_date: startAt.toISOString(),
    to_date: endAt.toISOString(),
  }));
}
