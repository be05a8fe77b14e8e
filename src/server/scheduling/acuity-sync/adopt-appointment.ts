import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { toMinute } from '#server/core/zone.ts';
import { findPatientByEmail } from '#server/patients/find-patient-by-email.ts';
import { endIfTooLate } from '#server/patients/queue-end-of-care.ts';
import type { AcuityAppointment } from '#server/providers/acuity.ts';
import { videoUrl } from '../appointments/appointment-row.ts';
import { presentAppointment } from '../appointments/present-appointment.ts';
import { holdClaims } from '../appointments/slot-claims.ts';
import { spoilDays } from '../availability/availability-days.ts';
import type { Calendar } from '../catalogue/catalogue.ts';
import { locationOf, whatAcuitySays } from './what-acuity-says.ts';

/**
 * Takes in an appointment that was made in Acuity's console, for the patient with exactly its e-mail; any other is
 * reported once as unmatched and attached to nobody. Null when somebody else took it in at the same moment.
 */
export async function adoptAppointment(
  ctx: Context,
  remote: AcuityAppointment,
  calendars: Calendar[],
): Promise<Appointment | 'unmatched' | null> {
  if (remote.canceled) return 'unmatched';
  const patient = remote.email === null ? null : await findPatientByEmail(ctx, remote.email);
  const said = whatAcuitySays(remote, calendars);
  const time = { calendarId: said.calendarId, at: toMinute(said.startAt), timeZone: said.timeZone };
  try {
    const row = patient ? await take(ctx, remote, patient.id, calendars) : await report(ctx, remote, said.timeZone);
    await spoilDays(ctx, [time]);
    return row;
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null;
    throw error;
  }
}

function take(ctx: Context, remote: AcuityAppointment, patientId: string, calendars: Calendar[]): Promise<Appointment> {
  const now = ctx.clock.now();
  const videoToken = newLinkToken(ctx.tenantId);
  return ctx.db.$transaction(async (tx) => {
    const row = await tx.appointment.create({
      data: {
        id: newId(now),
        tenantId: ctx.tenantId,
        patientId,
        ...whatAcuitySays(remote, calendars),
        videoToken,
        location: locationOf(remote) ?? videoUrl(ctx, videoToken),
        createdAt: now,
        updatedAt: now,
      },
    });
    await holdClaims(tx, ctx, row);
    await record(tx, ctx, {
      action: 'appointments.scheduled',
      object: { type: 'Appointment', id: row.id },
      patientId,
      event: 'appointment.scheduled',
      payload: presentAppointment(ctx, row),
      isNews: true,
    });
    await endIfTooLate(tx, ctx, patientId);
    return row;
  });
}

/** The audit log remembers what was reported; its payload names no person. */
async function report(ctx: Context, remote: AcuityAppointment, timeZone: string): Promise<'unmatched'> {
  const object = { type: 'Acuity appointment', id: String(remote.id) };
  const told = await ctx.db.auditEntry.findFirst({
    where: { tenantId: ctx.tenantId, objectType: object.type, objectId: object.id },
    select: { id: true },
  });
  if (told) return 'unmatched';
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'appointments.unmatched',
      object,
      event: 'appointment.unmatched',
      payload: {
        provider_appointment_id: remote.id,
        appointment_type_id: remote.typeId,
        calendar_id: remote.calendarId,
        from_date: remote.startAt.toISOString(),
        duration_minutes: remote.durationMinutes,
        time_zone: timeZone,
      },
    }),
  );
  return 'unmatched';
}
