import type { Context } from '#server/core/context.ts';
import { invalidParameter } from '#server/core/errors.ts';
import { type Day, localDay, type Minute, toMinute } from '#server/core/zone.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import { mayActFor } from '#server/patients/index.ts';
import type { Calendar } from '../catalogue/catalogue.ts';

/** An appointment to be rescheduled; `day` is the local day of its current slot. */
export type Rescheduled = { id: string; providerId: number; calendar: Calendar; day: Day };

/**
 * Returns the appointment, or null when no id is given or it is on none of these calendars.
 *
 * @throws 422 `invalid_parameter`.
 */
export async function findRescheduled(
  ctx: Context,
  id: string | undefined,
  calendars: Calendar[],
): Promise<Rescheduled | null> {
  if (id === undefined) return null;
  const row = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, id, status: 'scheduled' },
    select: { patientId: true, calendarId: true, startAt: true, providerAppointmentId: true },
  });
  if (!row || !mayActFor(ctx.actor, row.patientId))
    throw invalidParameter('appointment_id', 'There is no such appointment to reschedule.');
  const calendar = calendars.find((one) => one.id === row.calendarId);
  if (!calendar || row.providerAppointmentId === null) return null;
  return {
    id,
    providerId: row.providerAppointmentId,
    calendar,
    day: localDay(toMinute(row.startAt), calendar.timeZone),
  };
}

/**
 * Returns the starts of the appointment's day as if it did not exist. Calls the provider, because the mirror has that
 * day with the appointment; concurrent requests of one process share the call.
 */
export function startsWithout(ctx: Context, rescheduled: Rescheduled, typeId: number): Promise<Minute[]> {
  const { callsWithoutAppointment } = ctx.mirror;
  const key = `${ctx.tenantId}/${typeId}/${rescheduled.id}/${rescheduled.day}`;
  const pending = callsWithoutAppointment.get(key);
  if (pending) return pending;
  const call = fetchStarts(ctx, rescheduled, typeId).finally(() => callsWithoutAppointment.delete(key));
  callsWithoutAppointment.set(key, call);
  return call;
}

async function fetchStarts(
  ctx: Context,
  { providerId, calendar, day }: Rescheduled,
  typeId: number,
): Promise<Minute[]> {
  const { provider } = await getSchedulingAccount(ctx);
  const of = { typeId, calendarId: calendar.id, timeZone: calendar.timeZone };
  return (await provider.times(day, of, { ignoring: [providerId] })).map(toMinute);
}
