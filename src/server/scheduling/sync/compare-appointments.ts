import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { enqueue, isJobWaitingWithout } from '#server/core/jobs.ts';
import { LARGEST_ID, type ProviderAppointment, SchedulingError } from '#server/providers/scheduling-provider.ts';
import { holdUnmatchedClaim, lockUnmatched, matchesProvider } from '#server/scheduling/unmatched/unmatched.ts';
import { holdClaims, lockAppointment } from '../appointments/appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { isStaleLink, mustCancelAtProvider, providerStateOf, topicOf } from './apply-provider-state.ts';

/**
 * The provider's list of all appointments that start between two instants, and when it was read. `unreadable`: ids of
 * listed appointments that could not be parsed.
 */
export type Listed = { from: Date; until: Date; items: ProviderAppointment[]; unreadable: number[]; readAt: Date };

/**
 * Compares the provider's list with the local appointments in both directions, without provider calls for single
 * appointments. An appointment that agrees but lost its claim to an overlapping one gets it back.
 *
 * @returns the provider ids to sync: those that differ, are unknown locally, or are live locally but not listed.
 */
export async function compareAppointments(ctx: Context, accountId: string, listed: Listed): Promise<number[]> {
  const { tenantId, db } = ctx;
  const items = new Map(listed.items.map((item) => [item.id, item]));
  // Local rows never have a larger id.
  const listedIds = [...items.keys(), ...listed.unreadable].filter((id) => id <= LARGEST_ID);
  const within = { startAt: { gte: listed.from, lt: listed.until }, status: 'scheduled' };
  // Changes since the list was read are left to the next comparison; appointments that are over stay as they are.
  const ahead = { endAt: { gt: ctx.clock.now() }, updatedAt: { lt: listed.readAt } };
  const unlistedFilter = { providerAppointmentId: { notIn: listedIds }, ...ahead, ...within };
  const ofAccount = { OR: [{ accountId }, { accountId: null }] };
  const listedFilter = { providerAppointmentId: { in: listedIds } };
  const [rows, unmatched, missing, missingUnmatched] = await Promise.all([
    db.appointment.findMany({ where: { tenantId, ...listedFilter } }),
    db.unmatchedAppointment.findMany({ where: { tenantId, ...listedFilter } }),
    db.appointment.findMany({
      where: { tenantId, ...ofAccount, AND: { providerAppointmentId: { not: null } }, ...unlistedFilter },
      select: { providerAppointmentId: true },
    }),
    db.unmatchedAppointment.findMany({
      where: { tenantId, accountId, ...unlistedFilter },
      select: { providerAppointmentId: true },
    }),
  ]);
  const rowOf = new Map(rows.map((row) => [row.providerAppointmentId, row]));
  const unmatchedOf = new Map(unmatched.map((row) => [row.providerAppointmentId, row]));
  const differing: number[] = [];
  const unwritten: ProviderAppointment[] = [];
  for (const item of items.values()) {
    const row = rowOf.get(item.id);
    const unmatchedRow = unmatchedOf.get(item.id);
    const isSame = row ? agrees(ctx, row, item) : unmatchedRow ? matchesProvider(unmatchedRow, item) : item.canceled;
    if (!isSame) differing.push(item.id);
    else if (row && isUnwritten(ctx, row, item)) unwritten.push(item);
  }
  if (unwritten.length > 0) differing.push(...(await withLocationField(ctx, unwritten)));
  await claimFreedSlots(ctx, listed);
  return [...differing, ...[...missing, ...missingUnmatched].flatMap((row) => row.providerAppointmentId ?? [])];
}

/** A pending change is resolved by its own call. */
function agrees({ clock }: Context, row: Appointment, item: ProviderAppointment): boolean {
  if (row.pendingChange !== null) return true;
  if (row.noShowDueAt && item.canceled) return false;
  const state = providerStateOf(item, [], row);
  return topicOf(row, state) === null && !hasStaleLink(row, item) && !mustCancelAtProvider(row, state, clock.now());
}

/** A link matters only for a scheduled appointment. */
const hasStaleLink = (row: Appointment, item: ProviderAppointment): boolean =>
  row.status === 'scheduled' && isStaleLink(item, row);

/**
 * True when the provider has no location for an upcoming appointment: the call failed, or the type had no field for it.
 */
const isUnwritten = ({ clock }: Context, row: Appointment, item: ProviderAppointment): boolean =>
  row.status === 'scheduled' &&
  row.pendingChange === null &&
  row.endAt > clock.now() &&
  row.location !== null &&
  item.location === null;

/** Returns the ids of the appointments whose type has a location field. */
async function withLocationField(ctx: Context, items: ProviderAppointment[]): Promise<number[]> {
  try {
    const { types } = await getCatalogue(ctx, ctx.config.scheduling.reconcileMs);
    const typesWithField = new Set(types.flatMap(({ id, locationFieldId }) => (locationFieldId === null ? [] : [id])));
    return items.filter(({ typeId }) => typesWithField.has(typeId)).map(({ id }) => id);
  } catch (error) {
    // Unreadable settings must not stop the rest of the comparison.
    if (!(error instanceof SchedulingError)) throw error;
    return [];
  }
}

/**
 * Claims the slots of live appointments without a claim: another appointment held the slot when they were imported and
 * has left it since. Those whose slot is still taken (for example the participants of a class, possibly hundreds) are
 * excluded by the query.
 */
async function claimFreedSlots(ctx: Context, { from, until }: Listed): Promise<void> {
  const { tenantId, db } = ctx;
  const unclaimed = await db.$queryRaw<{ id: string; isUnmatched: boolean }[]>`
    with live as (
      select id, calendar_id, start_at, end_at, status, false as unmatched from appointments
      where tenant_id = ${tenantId}::uuid
      union all
      select id, calendar_id, start_at, end_at, status, true from unmatched_appointments
      where tenant_id = ${tenantId}::uuid)
    select id, unmatched as "isUnmatched" from live
    where status = 'scheduled' and start_at >= ${from}::timestamptz and start_at < ${until}::timestamptz
      and end_at > ${ctx.clock.now()}::timestamptz and not exists (
        select from slot_claims claim where claim.tenant_id = ${tenantId}::uuid and claim.calendar_id = live.calendar_id
          and claim.start_at < live.end_at and claim.end_at > live.start_at)
    order by unmatched, id`;
  for (const { id, isUnmatched } of unclaimed)
    await db.$transaction(async (tx) => {
      const row = isUnmatched ? null : await lockAppointment(tx, tenantId, id);
      const unmatchedRow = isUnmatched ? await lockUnmatched(tx, tenantId, id) : null;
      if (row) await holdClaims(tx, ctx, row);
      if (unmatchedRow) await holdUnmatchedClaim(tx, ctx, unmatchedRow);
    });
}

type Refresh = { accountId: string; providerAppointmentId: number; runAt: Date; counts: boolean };

/**
 * Queues a sync of one appointment; an earlier waiting one is not postponed. `counts`: a repair made by it counts as a
 * missed webhook, unless a sync that does not count is waiting already.
 */
export async function queueRefresh(
  { db, tenantId }: Context,
  { accountId, providerAppointmentId, runAt, counts }: Refresh,
): Promise<void> {
  const key = `refresh_appointment:${tenantId}:${providerAppointmentId}`;
  const isWaiting = counts && (await isJobWaitingWithout(db, key, 'found'));
  const cause = counts && !isWaiting && ({ found: 'comparison' } as const);
  const payload = { tenantId, accountId, providerAppointmentId, ...cause };
  await enqueue(db, 'refresh_appointment', payload, { runAt, key, keepEarlier: true });
}
