import { z } from 'zod';
import { DateOrInstant, flag, Id, Instant, integer, ProviderId, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { CalendarName, calendarId, DurationMinutes, From, To, TypeName, typeId, Zone } from './scheduling.ts';

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

const Rescheduled = Id.optional().meta({
  description: 'An appointment that is to be rescheduled: its own time does not stand in its way.',
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
    description: 'A date (the last local day, included) or an instant. At most seven days; seven days unless said.',
    examples: ['2026-11-29'],
  }),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Of this calendar only.' }),
  partial: flag.optional().meta({
    description:
      'What is not known within five seconds is left out, and named in `Availability-Missing`, where it is else a `provider_unavailable`.',
    examples: [false],
  }),
  appointment_id: Rescheduled,
});
export type ListAvailabilityInput = z.infer<typeof ListAvailabilityInput>;

/**
 * Free times as the portal is given them; `missing` is what the provider did not tell of in time, `trouble` the sentence
 * for people that says why, null when the provider is only slow.
 */
export type FreeTimes = {
  items: AvailabilityView[];
  /** When the oldest part was told; null when nothing was needed. */
  availability_as_of: string | null;
  missing: { calendar_id: number; day: string }[];
  trouble: string | null;
};

const MOST_NEXT = 50;
export const NextAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId.meta(typeId),
  calendar_id: ProviderId.optional().meta({ ...calendarId, description: 'Of this calendar only.' }),
  count: integer(1, MOST_NEXT)
    .optional()
    .meta({ description: `How many, 1 to ${MOST_NEXT}; one unless said.`, examples: [3] }),
});
export type NextAvailabilityInput = z.infer<typeof NextAvailabilityInput>;

/** Why a time is not offered, in the order in which they are looked at. */
export const NOT_OFFERED = {
  past: 'It has passed.',
  type_not_offered: 'The calendar does not offer this type.',
  booked: 'The calendar has an appointment then, made here or at the provider.',
  held: 'It is held by a booking whose outcome the provider has not told yet. Patients are told `booked`.',
  list_is_old: 'The provider offers it; the list that was shown is older.',
  notice: 'It is too soon: the provider takes no bookings at such short notice.',
  too_far_ahead: 'The provider takes no bookings so far ahead.',
  block: 'The calendar has time off then.',
  no_start: 'Appointments begin at other minutes then.',
  outside_hours: 'It lies outside the working hours, as far as can be concluded.',
  unknown: 'The provider does not tell.',
} as const;
export type NotOfferedReason = keyof typeof NOT_OFFERED;

export const ExplainAvailabilityInput = z.strictObject({
  appointment_type_id: ProviderId.meta(typeId),
  calendar_id: ProviderId.optional().meta({
    ...calendarId,
    description: 'Of this calendar only; else of each that offers the type.',
  }),
  from_date: Instant.meta({ description: 'When it would begin.', examples: ['2026-11-23T09:00:00-05:00'] }),
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
    offered: z.boolean().meta({ description: 'Whether it is offered at this moment.', examples: [false] }),
    reason: z
      .enum(Object.keys(NOT_OFFERED) as [NotOfferedReason, ...NotOfferedReason[]])
      .nullable()
      .meta({
        description: `Null when it is offered. ${Object.entries(NOT_OFFERED)
          .map(([name, words]) => `\`${name}\`: ${words}`)
          .join(' ')}`,
        examples: ['block'],
      }),
    sentence: z.string().meta({
      description: 'The same for people.',
      examples: ['Dr. Sam Sample has time off then.'],
    }),
    told_by: z.enum(['us', 'provider', 'conclusion']).meta({
      description:
        '`us`: our own appointments or clock; `provider`: the provider said so; `conclusion`: it follows from what the provider offers, for it does not say.',
      examples: ['provider'],
    }),
    as_of: UtcInstant.meta({ description: 'How old what it rests on is.' }),
  })
  .meta({ component: 'Explanation' });
export type ExplanationView = z.infer<typeof ExplanationView>;
