import { z } from 'zod';
import { flag, Id, NumberedPaging, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { filters } from './filters.ts';
import type { SchedulingConnection } from './scheduling.ts';

/** Fields of staff that can be filtered, a subset of the patient filters. */
export const PRACTITIONER_FILTER_FIELDS = {
  created_at: 'datetime',
  updated_at: 'datetime',
  id: 'string',
  name: 'string',
  email: 'string',
} as const;

const Named = { id: z.int().meta({ description: "The scheduling provider's id." }), name: z.string() };
const CalendarOfTheirs = z.object({
  ...Named,
  time_zone: z.string().meta({ description: 'IANA time zone.', examples: ['America/New_York'] }),
});

export const PractitionerView = z
  .object({
    id: Id.meta({ description: 'The id in `practitioner_id` of appointments.', examples: [EXAMPLE.practitionerId] }),
    name: z.string().meta({ examples: ['Dr. Sam Sample'] }),
    email: z.string().meta({ description: 'The sign-in email.', examples: ['sam@clinic.example.test'] }),
    active: z.boolean().meta({ description: 'False for a practitioner who has left.' }),
    time_zone: z.string().meta({
      description: 'Time zone of the first calendar, or else of the organisation (IANA).',
      examples: ['America/New_York'],
    }),
    calendars: z.array(CalendarOfTheirs).meta({
      description: "Calendars whose notification email is the practitioner's.",
      examples: [[{ id: EXAMPLE.calendarId, name: 'Dr. Sam Sample', time_zone: 'America/New_York' }]],
    }),
    appointment_types: z.array(z.object(Named)).meta({
      description: 'Types that these calendars offer.',
      examples: [[{ id: EXAMPLE.appointmentTypeId, name: 'Follow-up' }]],
    }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Practitioner' });
export type PractitionerView = z.infer<typeof PractitionerView>;

export const ListPractitionersInput = z.strictObject({
  ...NumberedPaging,
  with_total: flag.optional().meta({ description: 'Adds the total number of items.' }),
  ...filters(PRACTITIONER_FILTER_FIELDS),
});
export type ListPractitionersInput = z.infer<typeof ListPractitionersInput>;

export const PractitionerIdInput = z.strictObject({ id: Id.meta({ examples: [EXAMPLE.practitionerId] }) });

/** The number of appointments that are booked and not over, and the next one that has not started. */
export type UpcomingAppointments = {
  upcoming: number;
  next: { id: string; from_date: string; time_zone: string } | null;
};
/** A calendar and its appointment types. */
export type PractitionerCalendarView = {
  id: number;
  name: string;
  time_zone: string;
  appointment_types: { id: number; name: string }[];
};
/**
 * The portal's page: practitioners with their calendars, and calendars that belong to no known practitioner. `outside`:
 * calendars that the provider no longer offers but that still have appointments.
 */
export type CareTeamView = {
  connection: SchedulingConnection;
  practitioners: (Pick<PractitionerView, 'id' | 'name' | 'email'> & {
    calendars: PractitionerCalendarView[];
    outside: string[];
    visits: UpcomingAppointments;
  })[];
  outside: { id: number; name: string; visits: UpcomingAppointments }[];
  unmatched: (PractitionerCalendarView & { emails: string[]; visits: UpcomingAppointments })[];
};
