import type { Appointment, UnmatchedAppointment } from '#generated/prisma/client.ts';
import { findUnmatched, followUnmatched, isAsSaid, keepUnmatched } from '#server/bookings/follow-unmatched.ts';
import { columnsOf } from '#server/bookings/said.ts';
import { videoUrl } from '#server/bookings/video-url.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { toMinute } from '#server/core/zone.ts';
import { noteSchedulingRepair } from '#server/integrations/note-scheduling-repair.ts';
import type { SchedulingAccount } from '#server/integrations/scheduling-account.ts';
import { findPatientByEmail } from '#server/patients/load-patient.ts';
import type { ProviderAppointment } from '#server/providers/scheduling-provider.ts';
import { holdClaims, tell } from '../appointments/appointment.ts';
import { spoilDays } from '../availability/free-times.ts';
import { type Calendar, getCatalogue } from '../catalogue/catalogue.ts';
import { findByLink, findByProviderId, isOfFormer, MAX_ROUNDS, reflect, writeLocation } from './reflect-appointment.ts';

/** `repairs`: it is looked at though no webhook told of it; what it changes is counted. */
type Look = { repairs?: boolean };

/**
 * Reads an appointment at the provider anew and makes ours agree; one that was made in the provider's console is taken
 * in, or kept as of nobody known here; one that is gone there is canceled here. Returns our row, or null when there is
 * none. Any number of these at once end in the same state. One that agrees already costs a single call.
 */
export async function syncAppointment(
  ctx: Context,
  account: SchedulingAccount,
  providerId: number,
  { repairs = false }: Look = {},
): Promise<Appointment | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Ours is read before theirs: the other way round, a change between the two would pass for seen.
    const known = await findByProviderId(ctx, providerId);
    if (known && isOfFormer(known, account)) return known;
    const stranger = known ? null : await findUnmatched(ctx, providerId);
    const remote = await account.provider.appointment(providerId);
    const row = known ?? (remote && !stranger ? await findByLink(ctx, remote) : null);
    if (row) {
      const after = await reflect(ctx, account, row, { remote, repairs });
      if (after) return after;
    } else if (stranger) {
      if (await follow(ctx, stranger, remote, repairs)) return null;
    } else if (!remote || remote.canceled) {
      return null;
    } else {
      const taken = await adopt(ctx, account, remote, repairs);
      if (taken) return taken === 'unmatched' ? null : writeLocation(ctx, account.provider, taken, remote);
    }
  }
  throw new Error('The appointment changed at each look.');
}

/** False when it has changed meanwhile. */
async function follow(
  ctx: Context,
  seen: UnmatchedAppointment,
  remote: ProviderAppointment | null,
  repairs: boolean,
): Promise<boolean> {
  if (remote ? isAsSaid(seen, remote) : seen.status !== 'scheduled') return true;
  const calendars = remote ? (await getCatalogue(ctx)).calendars : [];
  const after = await followUnmatched(ctx, seen, remote, { calendars, repairs });
  if (after) await spoilDays(ctx, [seen, after].map(timeOf));
  return after !== null;
}

const timeOf = ({ calendarId, startAt, timeZone }: { calendarId: number; startAt: Date; timeZone: string }) => ({
  calendarId,
  at: toMinute(startAt),
  timeZone,
});

type How = { calendars: Calendar[]; repairs: boolean };

/**
 * Takes in an appointment that was made in the provider's console, for the patient with exactly its e-mail; any other
 * is kept as unmatched, and attached to nobody by guess. Null when somebody else took it in at the same moment.
 */
async function adopt(
  ctx: Context,
  account: SchedulingAccount,
  remote: ProviderAppointment,
  repairs: boolean,
): Promise<Appointment | 'unmatched' | null> {
  const how = { calendars: (await getCatalogue(ctx)).calendars, repairs };
  const patient = remote.email === null ? null : await findPatientByEmail(ctx, remote.email);
  const row = await ctx.db.$transaction(async (tx) => {
    if (!(await isNew(tx, ctx, remote.id))) return null;
    if (patient) return take(tx, ctx, account, remote, { patientId: patient.id, ...how });
    await keepUnmatched(tx, ctx, account, remote, how);
    return 'unmatched';
  });
  if (row) await spoilDays(ctx, [timeOf(columnsOf(remote, how.calendars))]);
  return row;
}

/** Whether nobody has taken it in yet; whoever is about to waits until this transaction ends. */
async function isNew(tx: Tx, { tenantId }: Context, providerAppointmentId: number): Promise<boolean> {
  const key = `adopt:${tenantId}:${providerAppointmentId}`;
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
  const where = { tenantId, providerAppointmentId };
  return (await tx.appointment.count({ where })) + (await tx.unmatchedAppointment.count({ where })) === 0;
}

async function take(
  tx: Tx,
  ctx: Context,
  { accountId }: SchedulingAccount,
  remote: ProviderAppointment,
  { patientId, calendars, repairs }: How & { patientId: string },
): Promise<Appointment> {
  const now = ctx.clock.now();
  const videoToken = newLinkToken(ctx.tenantId);
  const row = await tx.appointment.create({
    data: {
      id: newId(now),
      tenantId: ctx.tenantId,
      accountId,
      patientId,
      ...columnsOf(remote, calendars),
      videoToken,
      location: remote.location ?? videoUrl(ctx, videoToken),
      createdAt: now,
      updatedAt: now,
    },
  });
  await holdClaims(tx, ctx, row);
  await tell(tx, ctx, row, 'scheduled');
  if (repairs) await noteSchedulingRepair(tx, ctx, { accountId, objectId: row.id, what: 'scheduled' });
  return row;
}
