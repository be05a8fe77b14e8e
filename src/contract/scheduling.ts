import { z } from 'zod';
import { MOST_OF_A_REASON } from './cancel-reason.ts';
import {
  anyOf,
  DateOrInstant,
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
import { PatientId, WHOSE_IT_IS } from './patients.ts';
import { MOST_OF_A_NOTE } from './staff-note.ts';

export const typeId = { description: 'As `GET /appointment_types` lists it.', examples: [EXAMPLE.appointmentTypeId] };
export const calendarId = { description: 'As `GET /calendars` lists it.', examples: [EXAMPLE.calendarId] };
export const TypeName = z.string().meta({ description: "The type's name.", examples: ['Follow-up'] });
export const CalendarName = z.string().meta({ description: "The practitioner's name.", examples: ['Dr. Sam Sample'] });
export const Zone = z.string().meta({ description: "The calendar's IANA time zone.", examples: ['America/New_York'] });
export const DurationMinutes = z.int().meta({ examples: [30] });
export const From = ZonedInstant.meta({ examples: ['2026-11-23T09:00:00-05:00'] });
export const To = ZonedInstant.meta({ examples: ['2026-11-23T09:30:00-05:00'] });
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

export const AppointmentStatus = z.enum(['scheduled', 'canceled', 'no_show']);
/** Why an appointment that is booked cannot be rescheduled here. */
export const SchedulingIssue = z.enum(['former_account', 'calendar_removed', 'not_connected']);
export type SchedulingIssue = z.infer<typeof SchedulingIssue>;
/** Portal: whether the scheduling provider is connected; `disconnected`: it was. */
export type SchedulingConnection = 'connected' | 'disconnected' | 'never_connected';
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
    start: From.meta({ description: 'The same as `from_date`, for clients written before.', deprecated: true }),
    end: To.meta({ description: 'The same as `to_date`, for clients written before.', deprecated: true }),
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
    cancel_reason: z
      .string()
      .nullable()
      .meta({
        description: 'Why it was canceled, where somebody said so. Events leave it out.',
        examples: [null],
      }),
    canceled_because: z
      .enum(['gone_at_provider', 'former_account'])
      .nullable()
      .meta({
        description:
          'Of one that nobody canceled: the scheduling provider has it no more, or it was in an account that is not connected any more and was ended here alone.',
        examples: [null],
      }),
    scheduling_issue: SchedulingIssue.nullable().meta({
      description:
        'While it is booked and not over: `former_account` of one in a scheduling account that is not connected any more, where changes are not seen; `calendar_removed` where the calendar is not in the connected account any more; `not_connected` while no account is connected. It cannot be rescheduled. With the first two, cancel it and book another. Events leave it out.',
      examples: [null],
    }),
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
/** What events tell: free text stays with the visit, and an issue comes about without any. */
export type AppointmentNews = Omit<AppointmentView, 'cancel_reason' | 'scheduling_issue'>;

export const ListAppointmentTypesInput = z.strictObject({ ...WholePaging });
export type ListAppointmentTypesInput = z.infer<typeof ListAppointmentTypesInput>;
/** Ids that a query gives in one text with commas between, or repeated. */
const idsOf = (description: string) =>
  z
    .union([z.string().max(4000), z.array(Id).max(100)])
    .transform((given) => (Array.isArray(given) ? given : given.split(',').map((id) => id.trim())))
    .pipe(z.array(Id).min(1).max(100))
    .meta({ override: { type: 'array', maxItems: 100, items: { type: 'string', format: 'uuid' } }, description });

export const ListCalendarsInput = z.strictObject({
  ...WholePaging,
  appointment_type_id: ProviderId.optional().meta({ ...typeId, description: 'Only those that offer this type.' }),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Only this one.' }),
  user_ids: idsOf('Only those of any of these practitioners, comma-separated or repeated.').optional(),
});
export type ListCalendarsInput = z.infer<typeof ListCalendarsInput>;

/** Of days there is a first and a last whose neighbours a calendar can name. */
const Bound = DateOrInstant.refine(
  (given) => given.includes('T') || (given >= '0001-01-02' && given < '9999-12-31'),
  'must be a day from 0001-01-02 to 9999-12-30',
);

export const ListAppointmentsInput = z.strictObject({
  ...Paging,
  patient_id: PatientId.optional().meta({ description: "Of this patient; a patient's list is always its own." }),
  attendee_ids: idsOf('Of any of these patients, comma-separated or repeated.').optional(),
  scheduled_after: Bound.optional().meta({
    description: "Starting then or later; a date is the organisation's local day.",
    examples: ['2026-11-23'],
  }),
  scheduled_before: Bound.optional().meta({
    description: "Starting then or earlier; a date is the organisation's local day, which is included.",
    examples: ['2026-11-29T18:00:00-05:00'],
  }),
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
  practitioner_id: Id.optional().meta({
    description: 'Of this practitioner only, in any of their calendars.',
    examples: [EXAMPLE.practitionerId],
  }),
  scheduling_issue: anyOf(SchedulingIssue)
    .optional()
    .meta({
      description: `Booked and not over, with any of these issues: ${SchedulingIssue.options.join(', ')}, comma-separated.`,
      examples: ['former_account,calendar_removed'],
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
export const CancelAppointmentInput = z.strictObject({
  id: AppointmentId,
  patient_id: PatientId.optional().meta(WHOSE_IT_IS),
  reason: text(MOST_OF_A_REASON)
    .optional()
    .meta({
      description:
        'Why, in a few words. It is kept with the appointment, where the patient can read it, and handed to the scheduling provider as its note.',
      examples: ['The practitioner is ill.'],
    }),
});
export type CancelAppointmentInput = z.infer<typeof CancelAppointmentInput>;
export const RescheduleAppointmentInput = z.strictObject({
  id: AppointmentId,
  from_date: OfferedTime.meta({ examples: ['2026-11-24T14:00:00-05:00'] }),
  allow_overlap: AllowOverlap,
});
export type RescheduleAppointmentInput = z.infer<typeof RescheduleAppointmentInput>;

const StaffNote = text(MOST_OF_A_NOTE)
  .nullable()
  .meta({ description: 'Null: there is none.', examples: ['Bring the X-ray.'] });
export const StaffNoteView = z
  .object({ appointment_id: AppointmentId, patient_id: PatientId, note: StaffNote })
  .meta({ component: 'StaffNote' });
export type StaffNoteView = z.infer<typeof StaffNoteView>;
export const SetStaffNoteInput = z.strictObject({ id: AppointmentId, note: StaffNote });
export type SetStaffNoteInput = z.infer<typeof SetStaffNoteInput>;
