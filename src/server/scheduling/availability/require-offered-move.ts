import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { localDay, toMinute } from '#server/core/zone.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import { readClaims } from '../appointments/slot-claims.ts';
import type { Offer } from '../catalogue/find-in-catalogue.ts';
import { knownDays } from './refresh-days.ts';
import { slotNotOffered, slotTaken } from './slot-refusals.ts';

/**
 * The new time must be offered as if the appointment were not there: it may overlap its own old time, which Acuity
 * knows only when told to leave it out. Else 409 when another appointment of ours has the time, or 422.
 */
export async function requireOfferedMove(
  ctx: Context,
  acuity: Acuity,
  offer: Offer,
  row: Appointment,
  startAt: Date,
): Promise<void> {
  const { type, calendars } = offer;
  const [calendar] = calendars;
  if (!calendar) throw slotNotOffered();
  const start = toMinute(startAt);
  const day = localDay(start, calendar.timeZone);
  const length = toMinute(row.endAt) - toMinute(row.startAt);
  const [known, claims] = await Promise.all([
    knownDays(ctx, type.id, [{ calendar, days: [day] }]),
    readClaims(ctx, [calendar.id], { from: start, until: start + length }),
  ]);
  const others = claims.filter(({ appointmentId }) => appointmentId !== row.id);
  const isKnown = known.some(({ startsAt }) => startsAt.includes(start));
  if (others.length > 0 && (isKnown || others.some(({ from }) => from === start)))
    throw await slotTaken(ctx, offer, start);
  if (isKnown) return;
  const of = { typeId: type.id, calendarId: calendar.id, timeZone: calendar.timeZone };
  const times = await acuity.times(day, of, [row.providerAppointmentId!]);
  if (!times.some((at) => at.getTime() === startAt.getTime())) throw slotNotOffered();
}
