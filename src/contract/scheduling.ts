import { z } from 'zod';
import {
  CursorPaging,
  Id,
  Instant,
  LocalDate,
  Metadata,
  Paging,
  ProviderId,
  UtcInstant,
  ZonedInstant,
} from './conventions.ts';

export const AppointmentTypeView = z
  .object({
    id: z.int(),
    appointment_type_id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    duration_minutes: z.int(),
    calendar_ids: z.array(z.int()),
  })
  .meta({ component: 'AppointmentType' });
export type AppointmentTypeView = z.infer<typeof AppointmentTypeView>;

export const CalendarView = z
  .object({
    id: z.int(),
    calendar_id: z.int(),
    name: z.string(),
    time_zone: z.string(),
    practitioner_id: Id.nullable(),
    appointment_type_ids: z.array(z.int()),
  })
  .meta({ component: 'Calendar' });
export type CalendarView = z.infer<typeof CalendarView>;

/** A free time, shaped like an appointment. */
export const AvailabilityView = z
  .object({
    from_date: ZonedInstant,
    to_date: ZonedInstant,
    time_zone: z.string(),
    appointment_type_id: z.int(),
    appointment_type: z.string(),
    calendar_id: z.int(),
    calendar: z.string(),
    duration_minutes: z.int(),
  })
  .meta({ component: 'Availability' });
export type AvailabilityView = z.infer<typeof AvailabilityView>;

export const AppointmentStatus = z.enum(['scheduled', 'canceled', 'no_show']);

export const AppointmentView = z
  .object({
    id: Id,
    patient_id: Id,
    appointment_type_id: z.int(),
    appointment_type: z.string(),
    calendar_id: z.int(),
    calendar: z.string(),
    practitioner_id: Id.nullable(),
    practitioner_name: z.string().nullable(),
    from_date: ZonedInstant,
    to_date: ZonedInstant,
    duration_minutes: z.int(),
    time_zone: z.string(),
    location: z.string().nullable(),
    video_call_url: z.url(),
    status: AppointmentStatus,
    canceled_at: UtcInstant.nullable(),
    metadata: z.record(z.string(), z.unknown()),
    attendees: z.array(z.object({ id: Id, type: z.literal('Patient') })),
    provider_appointment_id: z.int().nullable(),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Appointment' });
export type AppointmentView = z.infer<typeof AppointmentView>;

export const ListAppointmentTypesInput = z.strictObject({ ...CursorPaging });
export type ListAppointmentTypesInput = z.infer<typeof ListAppointmentTypesInput>;
export const ListCalendarsInput = z.strictObject({ ...CursorPaging, appointment_type_id: ProviderId.optional() });
export type ListCalendarsInput = z.infer<typeof ListCalendarsInput>;

const DateOrInstant = z.union([LocalDate, Instant]);

/** At most seven consecutive local days, or 168 hours between instants. */
export const ListAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId,
  from_date: DateOrInstant,
  to_date: DateOrInstant.optional(),
  calendar_id: ProviderId.optional(),
});
export type ListAvailabilityInput = z.infer<typeof ListAvailabilityInput>;

export const ListAppointmentsInput = z.strictObject({
  ...Paging,
  patient_id: Id.optional(),
  attendee_ids: z
    .union([Id, z.array(Id).max(100)])
    .transform((ids) => (Array.isArray(ids) ? ids : [ids]))
    .optional()
    .meta({ override: { type: 'array', items: { type: 'string', format: 'uuid' } } }),
  scheduled_after: Instant.optional(),
  scheduled_before: Instant.optional(),
  status: AppointmentStatus.optional(),
});
export type ListAppointmentsInput = z.infer<typeof ListAppointmentsInput>;

export const BookAppointmentInput = z.strictObject({
  patient_id: Id,
  appointment_type_id: ProviderId,
  from_date: Instant,
  calendar_id: ProviderId.optional(),
  metadata: Metadata.optional(),
});
export type BookAppointmentInput = z.infer<typeof BookAppointmentInput>;

export const AppointmentIdInput = z.strictObject({ id: Id });
export const RescheduleAppointmentInput = z.strictObject({ id: Id, from_date: Instant });
export type RescheduleAppointmentInput = z.infer<typeof RescheduleAppointmentInput>;
