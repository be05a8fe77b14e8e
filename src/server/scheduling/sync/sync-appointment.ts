import type { Appointment, UnmatchedAppointment } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { videoUrl } from '#server/core/video-url.ts';
import { toMinute } from '#server/core/zone.ts';
import { findSchedulingAccount, recordSchedulingRepair, type SchedulingAccount } from '#server/integrations/index.ts';
import { invalidateDays } from '#server/mirror/index.ts';
import { findPatientByEmail, lockOwner } from '#server/patients/index.ts';
import type { ProviderAppointment } from '#server/providers/scheduling-provider.ts';
import {
  createUnmatched,
  findUnmatched,
  matchesProvider,
  updateUnmatched,
} from '#server/scheduling/unmatched/unmatched.ts';
import { columnsOf, holdClaims, recordChange } from '../appointments/appointment.ts';
import { type Calendar, getCatalogue } from '../catalogue/catalogue.ts';
import {
  applyProviderState,
  findByLink,
  findByProviderId,
  isOfFormerAccount,
  MAX_ROUNDS,
  writeLocation,
} from './apply-provider-state.ts';

/** Job: syncs one appointment with the provider; skips accounts that were replaced by another. */
export async function refreshAppointment(services: Services, job: Jobs['refresh_appointment']): Promise<void> {
  const { tenantId, accountId, providerAppointmentId, found } = job;
  const ctx = systemContext(services, tenantId, 'refresh_appointment');
  const account = await findSchedulingAccount(ctx, 'background');
  if (account?.accountId !== accountId) return;
  await syncAppointment(ctx, account, providerAppointmentId, { repairs: found !== undefined });
}

/** `repairs`: no webhook caused the sync, so a change that it makes counts as a repair. */
type SyncOptions = { repairs?: boolean };

/**
 * Fetches an appointment from the provider and syncs the row. One made in the provider's console is imported, or stored
 * as unmatched; one that is gone there is canceled locally. Safe to run concurrently; an appointment that agrees
 * already costs a single call.
 *
 * @returns the row, or null when there is none.
 */
export async function syncAppointment(
  ctx: Context,
  account: SchedulingAccount,
  providerId: number,
  { repairs = false }: SyncOptions = {},
): Promise<Appointment | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Read the local row first: in the other order, a change between the two reads would be missed.
    const stored = await findByProviderId(ctx, providerId);
    if (stored && isOfFormerAccount(stored, account)) return stored;
    const unmatched = stored ? null : await findUnmatched(ctx, providerId);
    const remote = await account.provider.appointment(providerId);
    const row = stored ?? (remote && !unmatched ? await findByLink(ctx, remote) : null);
    if (row) {
      const after = await applyProviderState(ctx, account, row, { remote, repairs });
      if (after) return after;
    } else if (unmatched) {
      if (await syncUnmatched(ctx, unmatched, remote, repairs)) return null;
    } else if (!remote || remote.canceled) {
      return null;
    } else {
      const imported = await importAppointment(ctx, account, remote, repairs);
      if (imported) return imported === 'unmatched' ? null : writeLocation(ctx, account.provider, imported, remote);
    }
  }
  throw new Error('The appointment changed at each attempt.');
}

/** False when the row has changed in the meantime. */
async function syncUnmatched(
  ctx: Context,
  seen: UnmatchedAppointment,
  remote: ProviderAppointment | null,
  repairs: boolean,
): Promise<boolean> {
  if (remote ? matchesProvider(seen, remote) : seen.status !== 'scheduled') return true;
  const calendars = remote ? (await getCatalogue(ctx)).calendars : [];
  const after = await updateUnmatched(ctx, seen, remote, { calendars, repairs });
  if (after) await invalidateDays(ctx, [seen, after].map(timeOf));
  return after !== null;
}

const timeOf = ({ calendarId, startAt, timeZone }: { calendarId: number; startAt: Date; timeZone: string }) => ({
  calendarId,
  at: toMinute(startAt),
  timeZone,
});

type ImportOptions = { calendars: Calendar[]; repairs: boolean };

/**
 * Imports an appointment made in the provider's console for the patient with exactly its email address; any other is
 * stored as unmatched and never attached by guess. Null when a concurrent sync imported it.
 */
async function importAppointment(
  ctx: Context,
  account: SchedulingAccount,
  remote: ProviderAppointment,
  repairs: boolean,
): Promise<Appointment | 'unmatched' | null> {
  const options = { calendars: (await getCatalogue(ctx)).calendars, repairs };
  const patient = remote.email === null ? null : await findPatientByEmail(ctx, remote.email);
  const row = await ctx.db.$transaction(async (tx) => {
    if (!(await isNew(tx, ctx, remote.id))) return null;
    if (patient) {
      const patientId = await lockOwner(tx, ctx, patient.id);
      return createAppointment(tx, ctx, account, remote, { patientId, ...options });
    }
    await createUnmatched(tx, ctx, account, remote, options);
    return 'unmatched';
  });
  if (row) await invalidateDays(ctx, [timeOf(columnsOf(remote, options.calendars))]);
  return row;
}

/** True when it is not imported yet; a concurrent import waits for the end of this transaction. */
async function isNew(tx: Tx, { tenantId }: Context, providerAppointmentId: number): Promise<boolean> {
  const key = `adopt:${tenantId}:${providerAppointmentId}`;
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
  const where = { tenantId, providerAppointmentId };
  return (await tx.appointment.count({ where })) + (await tx.unmatchedAppointment.count({ where })) === 0;
}

async function createAppointment(
  tx: Tx,
  ctx: Context,
  { accountId }: SchedulingAccount,
  remote: ProviderAppointment,
  { patientId, calendars, repairs }: ImportOptions & { patientId: string },
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
  await recordChange(tx, ctx, row, 'scheduled');
  if (repairs) await recordSchedulingRepair(tx, ctx, { accountId, objectId: row.id, what: 'scheduled' });
  return row;
}
