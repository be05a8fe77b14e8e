import type { AppointmentView } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { videoUrl } from './appointment-row.ts';

export function presentAppointment(ctx: Pick<Context, 'config'>, row: Appointment): AppointmentView {
  const from = toMinute(row.startAt);
  const until = toMinute(row.endAt);
  return {
    id: row.id,
    patient_id: row.patientId,
    appointment_type_id: row.appointmentTypeId,
    appointment_type: row.appointmentType,
    calendar_id: row.calendarId,
    calendar: row.calendar,
    practitioner_id: row.practitionerId,
    // A calendar bears its practitioner's name (api.md §5).
    practitioner_name: row.calendar,
    from_date: stamp(from, row.timeZone),
    to_date: stamp(until, row.timeZone),
    duration_minutes: until - from,
    time_zone: row.timeZone,
    location: row.location,
    video_call_url: videoUrl(ctx, row.videoToken),
    status: row.status as AppointmentView['status'],
    canceled_at: row.canceledAt?.toISOString() ?? null,
    metadata: row.metadata as AppointmentView['metadata'],
    attendees: [{ id: row.patientId, type: 'Patient' }],
    provider_appointment_id: row.providerAppointmentId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
