import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { addDays, localDay, toMinute } from '#server/core/zone.ts';
import type { Acuity, AcuityAppointment } from '#server/providers/acuity.ts';
import { videoUrl } from '../appointments/appointment-row.ts';

/**
 * Looks for a booking whose outcome is not known. Acuity has no idempotency key, so the video link, which no other
 * appointment has, tells it. The days to either side cover any zone's reading of "day".
 */
export async function findAtAcuity(
  ctx: Context,
  acuity: Acuity,
  row: Pick<Appointment, 'calendarId' | 'startAt' | 'videoToken'>,
): Promise<AcuityAppointment | null> {
  const day = localDay(toMinute(row.startAt), 'UTC');
  const near = { calendarId: row.calendarId, firstDay: addDays(day, -1), lastDay: addDays(day, 1) };
  const link = videoUrl(ctx, row.videoToken);
  const found = await acuity.appointments(near);
  return found.find(({ answers }) => answers.some(({ value }) => value === link)) ?? null;
}
