import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Acuity, AcuityAppointment } from '#server/providers/acuity.ts';
import { videoUrl } from '../appointments/appointment-row.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { adoptAppointment } from './adopt-appointment.ts';
import { reflectRemote } from './reflect-remote.ts';
import { writeLocation } from './write-location.ts';

/** An appointment that keeps changing under our hands is left to the next look. */
const MAX_ROUNDS = 5;

/**
 * Reads an appointment at Acuity anew and makes ours agree; one that was made in Acuity's console is taken in or
 * reported. Returns our row, or null when there is none. Any number of these at once end in the same state.
 */
export async function convergeAppointment(
  ctx: Context,
  acuity: Acuity,
  providerId: number,
): Promise<Appointment | null> {
  const { types, calendars } = await getCatalogue(ctx);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Ours is read before theirs: the other way round, a change between the two would pass for seen.
    const known = await findByProviderId(ctx, providerId);
    const remote = await acuity.appointment(providerId);
    if (!remote) return known;
    const row = known ?? (await findByLink(ctx, remote));
    const after = row
      ? await reflectRemote(ctx, row, remote, calendars)
      : await adoptAppointment(ctx, remote, calendars);
    if (after === 'unmatched') return null;
    if (after) return writeLocation(ctx, acuity, after, remote, types);
  }
  throw new Error('The appointment changed at each look.');
}

const findByProviderId = (ctx: Context, providerAppointmentId: number): Promise<Appointment | null> =>
  ctx.db.appointment.findFirst({ where: { tenantId: ctx.tenantId, providerAppointmentId } });

/**
 * A booking of ours whose answer was lost or is on its way: the link in its Location names the row. Its state was not
 * read before Acuity was asked, but it has no provider id yet, so Acuity's answer cannot be older than it.
 */
async function findByLink(ctx: Context, remote: AcuityAppointment): Promise<Appointment | null> {
  const prefix = videoUrl(ctx, '');
  const tokens = remote.answers.flatMap(({ value }) => (value.startsWith(prefix) ? value.slice(prefix.length) : []));
  if (tokens.length === 0) return null;
  const videoToken = { in: tokens };
  return ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, videoToken, providerAppointmentId: null },
  });
}
