import { z } from 'zod';
import {
  anyOf,
  CursorPaging,
  DateOrInstant,
  Id,
  Instant,
  Metadata,
  Paging,
  ProviderId,
  UtcInstant,
  ZonedInstant,
} from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';

const typeId = { description: 'As `GET /appointment_types` lists it.', examples: [EXAMPLE.appointmentTypeId] };
const calendarId = { description: 'As `GET /calendars` lists it.', examples: [EXAMPLE.calendarId] };
const TypeName = z.string().meta({ description: "The type's name.", examples: ['Follow-up'] });
const CalendarName = z.string().meta({ description: "The practitioner's name.", examples: ['Dr. Sam Sample'] });
const Zone = z.string().meta({ description: "The calendar's IANA time zone.", examples: ['America/New_York'] });
const DurationMinutes = z.int().meta({ examples: [30] });
const From = ZonedInstant.meta({ examples: ['2026-11-23T09:00:00-05:00'] });
const To = ZonedInstant.meta({ examples: ['2026-11-23T09:30:00-05:00'] });
const PractitionerId = Id.nullable().meta({
  description: "Whose sign-in email is the calendar's notification email, or null.",
  examples: [EXAMPLE.practitionerId],
});
const AppointmentId = Id.meta({ description: "The appointment's id.", examples: [EXAMPLE.appointmentId] });
const videoCallUrl = 'https://care.example.test/visit/Zk3xExampleToken';
/** A time that was offered, as a caller sends it. */
const OfferedTime = Instant.meta({
  description: 'Exactly a `from_date` that `GET /availability` offers; any offset of the same instant.',
  examples: ['2026-11-23T09:00:00-05:00'],
});

export const AppointmentTypeView = z
  .object({
    id: z.int().meta({ ...typeId, description: "The scheduling provider's id." }),
    appointment_type_id: z.int().meta({ ...typeId, description: 'The same as `id`.' }),
    name: TypeName,
    description: z
      .string()
      .nullable()
      .meta({ examples: ['Half an hour by video.'] }),
    duration_minutes: DurationMinutes,
    calendar_ids: z.array(z.int()).meta({ description: 'Calendars that offer it.', examples: [[EXAMPLE.calendarId]] }),
  })
  .meta({ component: 'AppointmentType' });
export type AppointmentTypeView = z.infer<typeof AppointmentTypeView>;

export const CalendarView = z
  .object({
    id: z.int().meta({ ...calendarId, description: "The scheduling provider's id." }),
    calendar_id: z.int().meta({ ...calendarId, description: 'The same as `id`.' }),
    name: CalendarName,
    time_zone: Zone,
    practitioner_id: PractitionerId,
    appointment_type_ids: z
      .array(z.int())
      .meta({ description: 'Types that it offers.', examples: [[EXAMPLE.appointmentTypeId]] }),
  })
  .meta({ component: 'Calendar' });
export type CalendarView = z.infer<typeof CalendarView>;

/** A free time, shaped like an appointment. */
export const AvailabilityView = z
  .object({
    from_date: From,
    to_date: To,
    time_zone: Zone,
    appointment_type_id: z.int().meta(typeId),
    appointment_type: TypeName,
    calendar_id: z.int().meta(calendarId),
    calendar: CalendarName,
    duration_minutes: DurationMinutes,
  })
  .meta({ component: 'Availability' });
export type AvailabilityView = z.infer<typeof AvailabilityView>;

export const AppointmentStatus = z.enum(['scheduled', 'canceled', 'no_show']);
/**
 * `upcoming`: booked and not over; `past`: booked, and over; `past_or_canceled`: all that is not upcoming. What takes
 * place at this moment is upcoming.
 */
export const AppointmentPeriod = z.enum(['upcoming', 'past', 'past_or_canceled']);
/** By the time: the soonest first, the latest first, or what is to come, soonest first, and then what is over, latest first. */
export const AppointmentOrder = z.enum(['from_date', '-from_date', 'next']);

export const AppointmentView = z
  .object({
    id: AppointmentId,
    patient_id: PatientId,
    appointment_type_id: z.int().meta(typeId),
    appointment_type: TypeName,
    calendar_id: z.int().meta(calendarId),
    calendar: CalendarName,
    practitioner_id: PractitionerId,
    practitioner_name: CalendarName.nullable(),
    from_date: From,
    to_date: To,
    duration_minutes: DurationMinutes,
    time_zone: Zone,
    location: z
      .string()
      .nullable()
      .meta({ description: 'The video link, or an address.', examples: [videoCallUrl] }),
    video_call_url: z
      .url()
      .meta({ description: 'Unique to the appointment and not to be guessed.', examples: [videoCallUrl] }),
    status: AppointmentStatus,
    canceled_at: UtcInstant.nullable().meta({ examples: [null] }),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Your own JSON.', examples: [{ reason: 'check-up' }] }),
    attendees: z
      .array(z.object({ id: PatientId, type: z.literal('Patient') }))
      .meta({ description: 'The one patient.' }),
    provider_appointment_id: z
      .int()
      .nullable()
      .meta({ description: "The scheduling provider's id.", examples: [880001] }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Appointment' });
export type AppointmentView = z.infer<typeof AppointmentView>;

export const ListAppointmentTypesInput = z.strictObject({ ...CursorPaging });
export type ListAppointmentTypesInput = z.infer<typeof ListAppointmentTypesInput>;
export const ListCalendarsInput = z.strictObject({
  ...CursorPaging,
  appointment_type_id: ProviderId.optional().meta({ ...typeId, description: 'Only those that offer this type.' }),
});
export type ListCalendarsInput = z.infer<typeof ListCalendarsInput>;

/** At most seven consecutive local days, or 168 hours between instants. */
export const ListAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId.meta(typeId),
  from_date: DateOrInstant.meta({
    description: 'A date (the first local day of each calendar) or an instant.',
    examples: ['2026-11-23'],
  }),
  to_date: DateOrInstant.optional().meta({
    description: 'A date (the last local day, included) or an instant. At most seven days; seven days unless said.',
    examples: ['2026-11-29'],
  }),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Of this calendar only.' }),
});
export type ListAvailabilityInput = z.infer<typeof ListAvailabilityInput>;

export const ListAppointmentsInput = z.strictObject({
  ...Paging,
  patient_id: PatientId.optional().meta({ description: 'Of this patient; a patient must name itself.' }),
  attendee_ids: z
    .union([Id, z.array(Id).max(100)])
    .transform((ids) => (Array.isArray(ids) ? ids : [ids]))
    .optional()
    .meta({
      override: { type: 'array', maxItems: 100, items: { type: 'string', format: 'uuid' } },
      description: 'Of any of these patients.',
    }),
  scheduled_after: Instant.optional().meta({ description: 'Starting then or later.' }),
  scheduled_before: Instant.optional().meta({ description: 'Starting then or earlier.' }),
  status: anyOf(AppointmentStatus)
    .optional()
    .meta({
      description: `Any of ${AppointmentStatus.options.join(', ')}, comma-separated. Canceled ones are left out unless asked for.`,
      examples: ['scheduled,canceled'],
    }),
  period: AppointmentPeriod.optional().meta({
    description:
      '`upcoming` are booked and not over, `past` were booked and are over, `past_or_canceled` is all the rest.',
  }),
  appointment_type_id: ProviderId.optional().meta({ ...typeId, description: 'Of this type only.' }),
  calendar_id: ProviderId.optional().meta({
    ...calendarId,
    description: 'Of this calendar, that is practitioner, only.',
  }),
  sort_by: AppointmentOrder.optional().meta({
    description:
      '`from_date`: the soonest first; `-from_date`, unless said: the latest first; `next`: those to come, soonest first, then those that are over, latest first.',
  }),
});
export type ListAppointmentsInput = z.infer<typeof ListAppointmentsInput>;

const AllowOverlap = z
  .boolean()
  .optional()
  .meta({
    description:
      'For staff only: although the patient has another visit at that time, which else is a `conflict` with its id in `meta.appointment_id`.',
    examples: [false],
  });
export const BookAppointmentInput = z.strictObject({
  patient_id: PatientId,
  appointment_type_id: ProviderId.meta(typeId),
  from_date: OfferedTime,
  calendar_id: ProviderId.optional().meta({
    ...calendarId,
    description: 'Without it, one of the free calendars with that type is drawn at random.',
  }),
  metadata: Metadata.optional().meta({ examples: [{ reason: 'check-up' }] }),
  allow_overlap: AllowOverlap,
});
export type BookAppointmentInput = z.infer<typeof BookAppointmentInput>;

export const AppointmentIdInput = z.strictObject({ id: AppointmentId });
export const RescheduleAppointmentInput = z.strictObject({
  id: AppointmentId,
  from_date: OfferedTime.meta({ examples: ['2026-11-24T14:00:00-05:00'] }),
  allow_overlap: AllowOverlap,
});
export type RescheduleAppointmentInput = z.infer<typeof RescheduleAppointmentInput>;
