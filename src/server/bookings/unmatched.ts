import type { UnmatchedAppointmentView } from '#contract/unmatched.ts';
import type { UnmatchedAppointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { stamp, toMinute } from '#server/core/zone.ts';

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
