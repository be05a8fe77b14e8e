import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { UnmatchedAppointmentView } from '#contract/unmatched.ts';
import type { UnmatchedAppointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { recordSchedulingRepair, type SchedulingAccount } from '#server/integrations/index.ts';
import type { ProviderAppointment } from '#server/providers/scheduling-provider.ts';
import { columnsOf, type KnownCalendar } from '../appointments/appointment.ts';

/** Returns the row, locked until the transaction ends. */
export async function lockUnmatched(tx: Tx, tenantId: string, id: string): Promise<UnmatchedAppointment | null> {
  await tx.$queryRaw`
    select 1 from unmatched_appointments where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  return tx.unmatchedAppointment.findFirst({ where: { tenantId, id } });
}

/**
 * Makes the claim match the row: its slot, or none once it is over or canceled. A booking that the provider's console
 * placed over an appointment has no claim.
 */
export async function holdUnmatchedClaim(tx: Tx, ctx: Context, row: UnmatchedAppointment): Promise<void> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  const { id: unmatchedId, calendarId, startAt, endAt } = row;
  const isLive = row.status === 'scheduled' && endAt > now;
  const slot = { calendarId, startAt, endAt };
  if (isLive && (await tx.slotClaim.count({ where: { tenantId, unmatchedId, ...slot } })) === 0) {
    const { count } = await tx.slotClaim.createMany({
      data: [{ id: newId(now), tenantId, unmatchedId, ...slot, createdAt: now }],
      skipDuplicates: true,
    });
    if (count === 0) ctx.log.warn({ unmatchedId }, 'the provider holds overlapping appointments on one calendar');
  }
  await tx.slotClaim.deleteMany({ where: { tenantId, unmatchedId, ...(isLive && { NOT: slot }) } });
}

/** Presents an unmatched booking; `proposed`: ids of patients with its email address. */
export function presentUnmatched(row: UnmatchedAppointment, proposed: string[]): UnmatchedAppointmentView {
  const from = toMinute(row.startAt);
  const until = toMinute(row.endAt);
  return {
    id: row.id,
    patient_id: null,
    provider_appointment_id: row.providerAppointmentId,
    appointment_type_id: row.appointmentTypeId,
    appointment_type: row.appointmentType,
    calendar_id: row.calendarId,
    calendar: row.calendar,
    practitioner_id: row.practitionerId,
    from_date: stamp(from, row.timeZone),
    to_date: stamp(until, row.timeZone),
    duration_minutes: until - from,
    time_zone: row.timeZone,
    first_name: row.firstName,
    last_name: row.lastName,
    email: row.email,
    phone_number: row.phoneNumber,
    proposed_patient_ids: proposed,
    ignored_at: row.ignoredAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

export const findUnmatched = (
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  providerAppointmentId: number,
): Promise<UnmatchedAppointment | null> =>
  db.unmatchedAppointment.findFirst({ where: { tenantId, providerAppointmentId } });

type Before = Pick<UnmatchedAppointment, 'calendarId' | 'calendar' | 'timeZone' | 'practitionerId' | 'location'>;

/** Maps the provider's booking to columns of the row: time, calendar, and the person's data. */
const columns = (remote: ProviderAppointment, calendars: KnownCalendar[], before: Before | null) => ({
  ...columnsOf(remote, calendars, before),
  location: remote.location ?? before?.location ?? null,
  firstName: remote.firstName.slice(0, 200),
  lastName: remote.lastName.slice(0, 200),
  email: remote.email?.slice(0, 320) ?? null,
  phoneNumber: remote.phone?.slice(0, 50) ?? null,
});

const COMPARED = [
  ...['status', 'startAt', 'endAt', 'appointmentTypeId', 'calendarId', 'location'],
  ...['firstName', 'lastName', 'email', 'phoneNumber'],
] as const;

/** True when the row already equals the provider's state. */
export function matchesProvider(row: UnmatchedAppointment, remote: ProviderAppointment): boolean {
  const data: Record<string, unknown> = columns(remote, [], row);
  const before: Record<string, unknown> = row;
  return COMPARED.every((name) => String(before[name]) === String(data[name]));
}

/** Stores an unmatched booking, claims its slot, and reports it once. */
export async function createUnmatched(
  tx: Tx,
  ctx: Context,
  { accountId }: Pick<SchedulingAccount, 'accountId'>,
  remote: ProviderAppointment,
  { calendars, repairs }: { calendars: KnownCalendar[]; repairs: boolean },
): Promise<void> {
  const now = ctx.clock.now();
  const data = columns(remote, calendars, null);
  const row = await tx.unmatchedAppointment.create({
    data: { id: newId(now), tenantId: ctx.tenantId, accountId, ...data, createdAt: now, updatedAt: now },
  });
  await holdUnmatchedClaim(tx, ctx, row);
  await report(tx, ctx, row);
  const repair = { accountId, objectId: String(remote.id), what: 'unmatched' };
  if (repairs) await recordSchedulingRepair(tx, ctx, repair);
}

/**
 * Applies the provider's state to an unmatched booking; `remote` null: it is gone there. Returns the updated row, or
 * null when it has changed since it was read as `seen`.
 */
export async function updateUnmatched(
  ctx: Context,
  seen: UnmatchedAppointment,
  remote: ProviderAppointment | null,
  { calendars, repairs }: { calendars: KnownCalendar[]; repairs: boolean },
): Promise<UnmatchedAppointment | null> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const before = await lockUnmatched(tx, tenantId, seen.id);
    if (!before || before.version !== seen.version) return null;
    const row = await tx.unmatchedAppointment.update({
      where: { tenantId_id: { tenantId, id: seen.id } },
      data: {
        ...(remote ? columns(remote, calendars, before) : { status: 'canceled' }),
        version: { increment: 1 },
        updatedAt: ctx.clock.now(),
      },
    });
    await holdUnmatchedClaim(tx, ctx, row);
    const repair = { accountId: row.accountId, objectId: String(row.providerAppointmentId), what: 'unmatched' };
    if (repairs) await recordSchedulingRepair(tx, ctx, repair);
    return row;
  });
}

/**
 * Records the event once, with no personal data in the payload; the audit entry also covers bookings reported before
 * they were stored.
 */
async function report(tx: Tx, ctx: Context, row: UnmatchedAppointment): Promise<void> {
  const object = { type: `${SCHEDULING_PROVIDER.name} appointment`, id: String(row.providerAppointmentId) };
  const reported = await tx.auditEntry.findFirst({
    where: { tenantId: ctx.tenantId, objectType: object.type, objectId: object.id },
    select: { id: true },
  });
  if (reported) return;
  await record(tx, ctx, {
    action: 'appointments.record_unmatched',
    object,
    event: 'appointment.unmatched',
    payload: {
      id: row.id,
      provider_appointment_id: row.providerAppointmentId,
      appointment_type_id: row.appointmentTypeId,
      calendar_id: row.calendarId,
      from_date: row.startAt.toISOString(),
      duration_minutes: toMinute(row.endAt) - toMinute(row.startAt),
      time_zone: row.timeZone,
    },
  });
}
