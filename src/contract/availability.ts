import { z } from 'zod';
import { DateOrInstant, flag, Id, Instant, integer, ProviderId, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { CalendarName, calendarId, DurationMinutes, From, To, TypeName, typeId, Zone } from './scheduling.ts';

/** An available slot, in the shape of an appointment. */
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

const Rescheduled = Id.optional().meta({
  description: 'An appointment that is being rescheduled: its own time counts as free.',
  examples: [EXAMPLE.appointmentId],
});

/** At most seven consecutive local days, or 168 hours between instants. */
export const ListAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId.meta(typeId),
  from_date: DateOrInstant.meta({
    description: 'A date (the first local day of each calendar) or an instant.',
    examples: ['2026-11-23'],
  }),
  to_date: DateOrInstant.optional().meta({
    description:
      'A date (the last local day, inclusive) or an instant. At most seven days after `from_date`; the default is seven days.',
    examples: ['2026-11-29'],
  }),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Only slots of this calendar.' }),
  partial: flag.optional().meta({
    description:
      'Returns a partial list when part of the availability is not known within five seconds, and names the missing part in `Availability-Missing`. Without it, the response is a `provider_unavailable` error.',
    examples: [false],
  }),
  appointment_id: Rescheduled,
});
export type ListAvailabilityInput = z.infer<typeof ListAvailabilityInput>;

/**
 * Slots for the portal. `missing` lists what the provider did not return in time; `trouble` is a message for users with
 * the reason, null when the provider is only slow.
 */
export type FreeSlots = {
  items: AvailabilityView[];
  /** When the oldest part was fetched from the provider; null when nothing was needed. */
  availability_as_of: string | null;
  missing: { calendar_id: number; day: string }[];
  trouble: string | null;
};

const MAX_NEXT = 50;
export const NextAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId.meta(typeId),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Only slots of this calendar.' }),
  count: integer(1, MAX_NEXT)
    .optional()
    .meta({ description: `Number of slots, 1 to ${MAX_NEXT}; the default is 1.`, examples: [3] }),
});
export type NextAvailabilityInput = z.infer<typeof NextAvailabilityInput>;

/** Reasons why a slot is not offered, in the order in which they are checked. */
export const NOT_OFFERED = {
  past: 'It has passed.',
  type_not_offered: 'The calendar does not offer this type.',
  booked: 'The calendar has an appointment then, made here or at the provider.',
  held: 'It is held by an appointment whose outcome the provider has not confirmed yet. Patients get the reason `booked`.',
  list_is_old: 'The provider offers it; the list that was shown is older.',
  notice: 'It is too soon: the provider takes no appointments at such short notice.',
  too_far_ahead: 'The provider takes no appointments so far ahead.',
  block: 'The calendar has time off then.',
  no_start: 'Appointments start at other times of the hour.',
  outside_hours: 'It is outside the working hours, as inferred from the offered slots.',
  unknown: 'The provider gives no reason.',
} as const;
export type NotOfferedReason = keyof typeof NOT_OFFERED;

export const ExplainAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId.meta(typeId),
  calendar_id: ProviderId.optional().meta({
    ...calendarId,
    description: 'Only this calendar. Without it, each calendar that offers the type.',
  }),
  from_date: Instant.meta({ description: 'The start time in question.', examples: ['2026-11-23T09:00:00-05:00'] }),
  appointment_id: Rescheduled,
});
export type ExplainAvailabilityInput = z.infer<typeof ExplainAvailabilityInput>;

export const ExplanationView = z
  .object({
    from_date: From,
    time_zone: Zone,
    appointment_type_id: z.int().meta(typeId),
    calendar_id: z.int().meta(calendarId),
    calendar: CalendarName,
    offered: z.boolean().meta({ description: 'Whether it is offered now.', examples: [false] }),
    reason: z
      .enum(Object.keys(NOT_OFFERED) as [NotOfferedReason, ...NotOfferedReason[]])
      .nullable()
      .meta({
        description: `Null when the slot is offered. ${Object.entries(NOT_OFFERED)
          .map(([name, description]) => `\`${name}\`: ${description}`)
          .join(' ')}`,
        examples: ['block'],
      }),
    sentence: z.string().meta({
      description: 'The same as a sentence for users.',
      examples: ['Dr. Sam Sample has time off then.'],
    }),
    told_by: z.enum(['us', 'provider', 'conclusion']).meta({
      description:
        'Source of the reason. `us`: our own appointments or clock; `provider`: stated by the provider; `conclusion`: derived from what the provider offers.',
      examples: ['provider'],
    }),
    as_of: UtcInstant.meta({ description: 'When the underlying data was fetched.' }),
  })
  .meta({ component: 'Explanation' });
export type ExplanationView = z.infer<typeof ExplanationView>;
