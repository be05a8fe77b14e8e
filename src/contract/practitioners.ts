import { z } from 'zod';
import { flag, Id, NumberedPaging, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { filters } from './filters.ts';
import type { SchedulingConnection } from './scheduling.ts';

/** What staff have of what filters of patients go by. */
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
    id: Id.meta({ description: 'As `practitioner_id` of appointments names it.', examples: [EXAMPLE.practitionerId] }),
    name: z.string().meta({ examples: ['Dr. Sam Sample'] }),
    email: z.string().meta({ description: 'The sign-in email.', examples: ['sam@clinic.example.test'] }),
    active: z.boolean().meta({ description: 'False for somebody who has left.' }),
    time_zone: z.string().meta({
      description: "Of their first calendar, else the organisation's (IANA).",
      examples: ['America/New_York'],
    }),
    calendars: z.array(CalendarOfTheirs).meta({
      description: 'Those whose notification email is theirs.',
      examples: [[{ id: EXAMPLE.calendarId, name: 'Dr. Sam Sample', time_zone: 'America/New_York' }]],
    }),
    appointment_types: z.array(z.object(Named)).meta({
      description: 'What these calendars offer.',
      examples: [[{ id: EXAMPLE.appointmentTypeId, name: 'Follow-up' }]],
    }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Practitioner' });
export type PractitionerView = z.infer<typeof PractitionerView>;

export const ListPractitionersInput = z.strictObject({
  ...NumberedPaging,
  with_total: flag.optional().meta({ description: 'Adds how many there are in all.' }),
  ...filters(PRACTITIONER_FILTER_FIELDS),
});
export type ListPractitionersInput = z.infer<typeof ListPractitionersInput>;

export const PractitionerIdInput = z.strictObject({ id: Id.meta({ examples: [EXAMPLE.practitionerId] }) });

/** What waits for somebody: how many visits are booked and not over, and the next that has not begun. */
export type VisitsAhead = {
  upcoming: number;
  next: { id: string; from_date: string; time_zone: string } | null;
};
/** A calendar, with what is booked in it. */
export type CalendarOnPage = {
  id: number;
  name: string;
  time_zone: string;
  appointment_types: { id: number; name: string }[];
};
/**
 * The portal's page: who sees patients in which calendars, and calendars that nobody here is known to look after.
 * `outside`: calendars that the provider does not offer, and visits are still booked in.
 */
export type CareTeamView = {
  connection: SchedulingConnection;
  practitioners: (Pick<PractitionerView, 'id' | 'name' | 'email'> & {
    calendars: CalendarOnPage[];
    outside: string[];
    visits: VisitsAhead;
  })[];
  outside: { id: number; name: string; visits: VisitsAhead }[];
  unmatched: (CalendarOnPage & { emails: string[]; visits: VisitsAhead })[];
};
