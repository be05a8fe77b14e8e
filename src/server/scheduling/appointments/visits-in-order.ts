import type { ListAppointmentsInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { beyondInstant, type Travel } from '#server/core/paging.ts';

type Where = Prisma.AppointmentWhereInput;
/** The sort key, and whether the appointment is over at this moment. */
export type VisitKey = { at: Date; id: string; isOver: boolean };

/** The provider books nothing longer, so an appointment that is not over started after this; bounds the index scan. */
const LONGEST = 1 * DAY;
export const notOver = (now: Date): Where => ({
  endAt: { gt: now },
  startAt: { gt: new Date(now.getTime() - LONGEST) },
});
const over = (now: Date): Where => ({ endAt: { lte: now }, startAt: { lte: now } });

/** Statuses of an appointment that was booked and not canceled. */
const BOOKED = ['scheduled', 'no_show'];

/**
 * Returns the conditions for a period and any named statuses. An appointment in progress is upcoming, because its link
 * is still needed; a canceled one is neither upcoming nor past.
 */
export function ofPeriod({ period, status }: Pick<ListAppointmentsInput, 'period' | 'status'>, now: Date): Where[] {
  const named: Where = { status: { in: status ?? BOOKED } };
  if (period === 'upcoming') return [{ status: 'scheduled' }, notOver(now), ...(status ? [named] : [])];
  if (period === 'past') return [named, { status: { in: BOOKED } }, over(now)];
  if (period !== 'past_or_canceled') return [named];
  return [{ status: { in: status ?? [...BOOKED, 'canceled'] } }, { OR: [{ status: { not: 'scheduled' } }, over(now)] }];
}

/**
 * Reads appointments ordered by start. `next` concatenates two lists: upcoming ones, soonest first, then past ones,
 * latest first. Each is bounded by its own end of the index, so that every page costs the same.
 */
export async function readInOrder(
  ctx: Context,
  where: Where,
  { sort_by = '-from_date' }: Pick<ListAppointmentsInput, 'sort_by'>,
  travel: Travel<VisitKey>,
): Promise<Appointment[]> {
  const { backwards, beyond } = travel;
  if (sort_by !== 'next')
    return readPart(ctx, where, { ...travel, ascending: (sort_by === 'from_date') !== backwards });
  const now = ctx.clock.now();
  const parts = [
    { isOver: false, where: { AND: [where, notOver(now)] }, ascending: !backwards },
    { isOver: true, where: { AND: [where, over(now)] }, ascending: backwards },
  ];
  const rows: Appointment[] = [];
  let { offset } = travel;
  let from = beyond;
  for (const part of backwards ? parts.reverse() : parts) {
    if (from && from.isOver !== part.isOver) continue;
    const limit = travel.limit - rows.length;
    if (limit === 0) break;
    const read = await readPart(ctx, part.where, { ascending: part.ascending, limit, offset, beyond: from });
    rows.push(...read);
    if (offset > 0) offset = Math.max(0, offset - (await ctx.db.appointment.count({ where: part.where })));
    from = null;
  }
  return rows;
}

type Part = Omit<Travel<VisitKey>, 'backwards'> & { ascending: boolean };

const readPart = (ctx: Context, where: Where, { ascending, limit, offset, beyond }: Part): Promise<Appointment[]> => {
  const direction = ascending ? 'asc' : 'desc';
  return ctx.db.appointment.findMany({
    where: beyond ? { AND: [where, beyondInstant('startAt', beyond, ascending)] } : where,
    orderBy: [{ startAt: direction }, { id: direction }],
    take: limit,
    skip: offset,
  });
};
