import { z } from 'zod';
import {
  anyOf,
  DateOrInstant,
  flag,
  Id,
  Instant,
  Metadata,
  Paging,
  ProviderId,
  text,
  UtcInstant,
  WholePaging,
  ZonedInstant,
} from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { MAX_NOTE_LENGTH, MAX_REASON_LENGTH } from './limits.ts';
import { OWNING_PATIENT, PatientId } from './patients.ts';

export const typeId = { description: 'An id from `GET /appointment_types`.', examples: [EXAMPLE.appointmentTypeId] };
export const calendarId = { description: 'An id from `GET /calendars`.', examples: [EXAMPLE.calendarId] };
export const TypeName = z.string().meta({ description: "The type's name.", examples: ['Follow-up'] });
export const CalendarName = z.string().meta({ description: "The practitioner's name.", examples: ['Dr. Sam Sample'] });
export const Zone = z.string().meta({ description: "The calendar's IANA time zone.", examples: ['America/New_York'] });
export const DurationMinutes = z.int().meta({ examples: [30] });
export const From = ZonedInstant.meta({ examples: ['2026-11-23T09:00:00-05:00'] });
export const To = ZonedInstant.meta({ examples: ['2026-11-23T09:30:00-05:00'] });
const PractitionerId = Id.nullable().meta({
  description: "The practitioner whose sign-in email is the calendar's notification email, or null.",
  examples: [EXAMPLE.practitionerId],
});
const AppointmentId = Id.meta({ description: "The appointment's id.", examples: [EXAMPLE.appointmentId] });
const videoCallUrl = 'https://care.example.test/visit/Zk3xExampleToken';
/** The time of an offered slot, as a client sends it. */
const OfferedTime = Instant.meta({
  description: 'A `from_date` that `GET /availability` returned; any offset of the same instant.',
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

export const AppointmentStatus = z.enum(['scheduled', 'canceled', 'no_show']);
/** What staff note of the course of an appointment. */
export const AppointmentMark = z.enum(['checked_in', 'completed', 'no_show']);
export type AppointmentMark = z.infer<typeof AppointmentMark>;
/** Why a booked appointment cannot be rescheduled. */
export const SchedulingIssue = z.enum(['former_account', 'calendar_removed', 'not_connected']);
export type SchedulingIssue = z.infer<typeof SchedulingIssue>;
/** Why an appointment was canceled only here. */
export const CanceledBecause = z.enum(['gone_at_provider', 'former_account']);
export type CanceledBecause = z.infer<typeof CanceledBecause>;
/** Portal: the connection to the scheduling provider; `disconnected`: it was connected before. */
export type SchedulingConnection = 'connected' | 'disconnected' | 'never_connected';
/**
 * `upcoming`: booked and not over, including those that take place now; `past`: booked and over; `past_or_canceled`:
 * everything that is not upcoming.
 */
export const AppointmentPeriod = z.enum(['upcoming', 'past', 'past_or_canceled']);
/** Sort order by time: ascending, descending, or `next`: upcoming ascending, then past descending. */
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
    start: From.meta({
      description: 'The same as `from_date`, for compatibility with older clients.',
      deprecated: true,
    }),
    end: To.meta({ description: 'The same as `to_date`, for compatibility with older clients.', deprecated: true }),
    duration_minutes: DurationMinutes,
    time_zone: Zone,
    location: z
      .string()
      .nullable()
      .meta({ description: 'The video link, or an address.', examples: [videoCallUrl] }),
    video_call_url: z
      .url()
      .meta({ description: 'Unique to the appointment and not guessable.', examples: [videoCallUrl] }),
    status: AppointmentStatus,
    checked_in_at: UtcInstant.nullable().meta({
      description:
        'When the patient checked in. Null again when the appointment is rescheduled to another time that is still ahead.',
      examples: [null],
    }),
    completed_at: UtcInstant.nullable().meta({
      description:
        'When staff noted that the appointment had taken place. Its `status` stays `scheduled`; null again when it is rescheduled as above, or canceled at the scheduling provider.',
      examples: [null],
    }),
    canceled_at: UtcInstant.nullable().meta({
      description: 'When it was canceled or marked as a no-show.',
      examples: [null],
    }),
    cancel_reason: z
      .string()
      .nullable()
      .meta({
        description:
          'The reason for the cancellation, if one was given. Null for the patient, and for an application that acts for them, when `cancel_reason_told` is false. Not in events.',
        examples: [null],
      }),
    cancel_reason_told: z
      .boolean()
      .nullable()
      .meta({
        description:
          'Whether the patient may read the reason; do not show it to them when it is false. Null when there is no reason that you may read. Not in events.',
        examples: [null],
      }),
    canceled_because: CanceledBecause.nullable().meta({
      description:
        'Set when the appointment was canceled only here: it is gone at the scheduling provider, or it was in an account that is no longer connected.',
      examples: [null],
    }),
    scheduling_issue: SchedulingIssue.nullable().meta({
      description:
        'While it is booked and not over. `former_account`: it is in a scheduling account that is no longer connected, so changes there are not seen. `calendar_removed`: its calendar is no longer in the connected account. `not_connected`: no account is connected. It cannot be rescheduled; with the first two, cancel it and book another. Not in events.',
      examples: [null],
    }),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Your own JSON.', examples: [{ reason: 'check-up' }] }),
    attendees: z.array(z.object({ id: PatientId, type: z.literal('Patient') })).meta({ description: 'The patient.' }),
    provider_appointment_id: z
      .int()
      .nullable()
      .meta({ description: "The scheduling provider's id.", examples: [880001] }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Appointment' });
export type AppointmentView = z.infer<typeof AppointmentView>;
/** The appointment in events: free text is left out, and an issue arises without an event. */
export type AppointmentPayload = Omit<AppointmentView, 'cancel_reason' | 'cancel_reason_told' | 'scheduling_issue'>;

export const ListAppointmentTypesInput = z.strictObject({ ...WholePaging });
export type ListAppointmentTypesInput = z.infer<typeof ListAppointmentTypesInput>;
/** Ids, comma-separated in one text or repeated. */
const idsOf = (description: string) =>
  z
    .union([z.string().max(4000), z.array(Id).max(100)])
    .transform((value) => (Array.isArray(value) ? value : value.split(',').map((id) => id.trim())))
    .pipe(z.array(Id).min(1).max(100))
    .meta({ override: { type: 'array', maxItems: 100, items: { type: 'string', format: 'uuid' } }, description });

export const ListCalendarsInput = z.strictObject({
  ...WholePaging,
  appointment_type_id: ProviderId.optional().meta({ ...typeId, description: 'Only calendars that offer this type.' }),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Only this calendar.' }),
  user_ids: idsOf('Only calendars of any of these practitioners, comma-separated or repeated.').optional(),
});
export type ListCalendarsInput = z.infer<typeof ListCalendarsInput>;

/** The first and the last day whose neighbouring days can still be written as a date. */
const Bound = DateOrInstant.refine(
  (value) => value.includes('T') || (value >= '0001-01-02' && value < '9999-12-31'),
  'must be a day from 0001-01-02 to 9999-12-30',
);

export const ListAppointmentsInput = z.strictObject({
  ...Paging,
  patient_id: PatientId.optional().meta({ description: "Only this patient's; for patients always their own." }),
  attendee_ids: idsOf('Only appointments of any of these patients, comma-separated or repeated.').optional(),
  scheduled_after: Bound.optional().meta({
    description: "Starting at or after this time; a date is the organisation's local day.",
    examples: ['2026-11-23'],
  }),
  scheduled_before: Bound.optional().meta({
    description: "Starting at or before this time; a date is the organisation's local day and is included.",
    examples: ['2026-11-29T18:00:00-05:00'],
  }),
  status: anyOf(AppointmentStatus)
    .optional()
    .meta({
      description: `Any of ${AppointmentStatus.options.join(', ')}, comma-separated. Canceled appointments are left out by default.`,
      examples: ['scheduled,canceled'],
    }),
  period: AppointmentPeriod.optional().meta({
    description:
      '`upcoming`: booked and not over; `past`: booked and over; `past_or_canceled`: everything that is not upcoming.',
  }),
  appointment_type_id: ProviderId.optional().meta({ ...typeId, description: 'Only appointments of this type.' }),
  calendar_id: ProviderId.optional().meta({
    ...calendarId,
    description: 'Only appointments of this calendar.',
  }),
  practitioner_id: Id.optional().meta({
    description: 'Only appointments of this practitioner, in any calendar.',
    examples: [EXAMPLE.practitionerId],
  }),
  scheduling_issue: anyOf(SchedulingIssue)
    .optional()
    .meta({
      description: `Appointments that are booked and not over, with any of these issues: ${SchedulingIssue.options.join(', ')}, comma-separated.`,
      examples: ['former_account,calendar_removed'],
    }),
  checked_in: flag
    .optional()
    .meta({ description: 'Only appointments whose patient has checked in (`true`) or has not (`false`).' }),
  completed: flag
    .optional()
    .meta({ description: 'Only appointments that are marked as completed (`true`) or are not (`false`).' }),
  sort_by: AppointmentOrder.optional().meta({
    description:
      '`from_date`: ascending; `-from_date`: descending, the default; `next`: upcoming appointments ascending, then past ones descending.',
  }),
});
export type ListAppointmentsInput = z.infer<typeof ListAppointmentsInput>;

const AllowOverlap = z
  .boolean()
  .optional()
  .meta({
    description:
      'For staff only: books although the patient has another appointment at that time. Without it, this is a `conflict` with the other id in `meta.appointment_id`.',
    examples: [false],
  });
export const BookAppointmentInput = z.strictObject({
  patient_id: PatientId,
  appointment_type_id: ProviderId.meta(typeId),
  from_date: OfferedTime,
  calendar_id: ProviderId.optional().meta({
    ...calendarId,
    description: 'Without it, one of the available calendars with that type is chosen at random.',
  }),
  metadata: Metadata.optional().meta({ examples: [{ reason: 'check-up' }] }),
  allow_overlap: AllowOverlap,
});
export type BookAppointmentInput = z.infer<typeof BookAppointmentInput>;

export const AppointmentIdInput = z.strictObject({ id: AppointmentId });
export const UnmarkAppointmentInput = z.strictObject({
  id: AppointmentId,
  mark: AppointmentMark.meta({ description: 'The mark to undo.', examples: ['checked_in'] }),
});
export type UnmarkAppointmentInput = z.infer<typeof UnmarkAppointmentInput>;
export const CancelAppointmentInput = z.strictObject({
  id: AppointmentId,
  patient_id: PatientId.optional().meta(OWNING_PATIENT),
  reason: text(MAX_REASON_LENGTH)
    .optional()
    .meta({
      description:
        'The reason in a few words. It is stored with the appointment. It is also sent to the scheduling provider as its note, unless the provider would email it to a patient who is not told.',
      examples: ['The practitioner is ill.'],
    }),
  tell_patient: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the patient may read the reason; true by default. With false, staff and server applications still read it; the patient, their app and messages to them never get it. Ignored when the patient cancels: their own reason stays theirs to read.',
      examples: [true],
    }),
});
export type CancelAppointmentInput = z.infer<typeof CancelAppointmentInput>;
export const RescheduleAppointmentInput = z.strictObject({
  id: AppointmentId,
  from_date: OfferedTime.meta({ examples: ['2026-11-24T14:00:00-05:00'] }),
  calendar_id: ProviderId.optional().meta({
    description:
      'For staff only: another calendar that offers the type. Without it, the appointment stays in its calendar.',
  }),
  allow_overlap: AllowOverlap,
});
export type RescheduleAppointmentInput = z.infer<typeof RescheduleAppointmentInput>;

const StaffNote = text(MAX_NOTE_LENGTH)
  .nullable()
  .meta({ description: 'Null when there is none.', examples: ['Bring the X-ray.'] });
export const StaffNoteView = z
  .object({ appointment_id: AppointmentId, patient_id: PatientId, note: StaffNote })
  .meta({ component: 'StaffNote' });
export type StaffNoteView = z.infer<typeof StaffNoteView>;
export const SetStaffNoteInput = z.strictObject({ id: AppointmentId, note: StaffNote });
export type SetStaffNoteInput = z.infer<typeof SetStaffNoteInput>;

/** Portal: exports a list of appointments as a file. */
export const ExportAppointmentsInput = ListAppointmentsInput.pick({
  patient_id: true,
  scheduled_after: true,
  scheduled_before: true,
  status: true,
  period: true,
  appointment_type_id: true,
  calendar_id: true,
  practitioner_id: true,
  scheduling_issue: true,
  checked_in: true,
  completed: true,
});
export type ExportAppointmentsInput = z.infer<typeof ExportAppointmentsInput>;
