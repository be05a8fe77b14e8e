import { z } from 'zod';
import { anyOf, CursorPaging, Id, integer, type Page, page, text, UtcInstant } from './conventions.ts';
import { EVENT_TOPICS, EVENT_TYPES, type EventTopic, type EventType } from './event-types.ts';
import { EXAMPLE } from './examples.ts';

const EventTypes = z.enum(EVENT_TYPES as [EventType, ...EventType[]]);
const EventTopics = z.enum([...new Set(Object.values(EVENT_TOPICS).flat())] as [EventTopic, ...EventTopic[]]);

/** The longest that a reader may ask to wait. */
export const LONGEST_WAIT_S = 30;
const MOST_SEQUENCE = 999_999_999_999_999;

export const EventView = z
  .object({
    id: Id.meta({ description: 'UUIDv7; the same however often it is told.', examples: [EXAMPLE.eventId] }),
    sequence: z.int().meta({ description: 'Rises by one, without gaps.', examples: [1042] }),
    event_name: z.string().meta({ description: 'Type and topic in words.', examples: ['Appointment Scheduled'] }),
    event_type: z.string().meta({ examples: ['appointment'] }),
    event_topic: z.string().meta({ examples: ['scheduled'] }),
    tenant_id: Id.meta({ examples: [EXAMPLE.tenantId] }),
    patient_id: Id.nullable().meta({
      description: 'Whom it is about; null for what is about no patient.',
      examples: [EXAMPLE.patientId],
    }),
    author_type: z.string().meta({
      description: '`Application`, `Patient`, `Practitioner`, `Admin`, `Visitor` or `System`.',
      examples: ['Practitioner'],
    }),
    author_id: z.string().meta({ description: 'Who did it.', examples: [EXAMPLE.practitionerId] }),
    created_at: UtcInstant.meta({ examples: ['2026-11-16T15:04:05.000Z'] }),
    time: z.int().meta({ description: '`created_at` in unix seconds.', examples: [1_794_841_445] }),
    payload: z.record(z.string(), z.unknown()).meta({
      description:
        'The resource as the API showed it at that moment, without secrets. Of `visit` events it is the call: `id` of the appointment, `patient_id`, `started_at` (when the patient was let in), `ended_at`, `ended_by` (`patient`, `staff` or `time`), and `joined` (`patient` or `staff`) of `visit.joined`.',
      additionalProperties: true,
      examples: [{ id: EXAMPLE.appointmentId, status: 'scheduled' }],
    }),
  })
  .meta({ component: 'Event' });
export type EventView = z.infer<typeof EventView>;

const Filters = {
  event_type: anyOf(EventTypes)
    .optional()
    .meta({ description: `Any of \`${EVENT_TYPES.join('`, `')}\`, comma-separated; needs the read scope of each.` }),
  event_topic: anyOf(EventTopics)
    .optional()
    .meta({ description: 'What happened, any of these, comma-separated: `scheduled,canceled`.' }),
  object_id: text(255).optional().meta({ description: 'The id of the patient, subscription, appointment … itself.' }),
  patient_id: Id.optional().meta({ description: 'Whom it is about.' }),
};

/** The feed, oldest first. */
export const ListEventsInput = z.strictObject({
  after_sequence: integer(0, MOST_SEQUENCE).optional().meta({
    description:
      'What follows this sequence: the last one that you have dealt with, or the `Read-Through-Sequence` of the answer before. From the oldest that is held unless said.',
  }),
  size: CursorPaging.size,
  page: page.meta({
    description:
      'A numbered page, counted from the oldest that is held, with the totals; instead of `after_sequence` and `wait`. Pages move as old events end: what has to see each event goes on by `after_sequence`.',
  }),
  wait: integer(0, LONGEST_WAIT_S).optional().meta({
    description: 'Where nothing follows yet, waits so many seconds for it before it answers with none.',
  }),
  ...Filters,
});
export type ListEventsInput = z.infer<typeof ListEventsInput>;

/** The portal's list, newest first. */
export const ListLatestEventsInput = z.strictObject({ ...CursorPaging, ...Filters });
export type ListLatestEventsInput = z.infer<typeof ListLatestEventsInput>;

export const EventIdInput = z.strictObject({ id: Id.meta({ examples: [EXAMPLE.eventId] }) });
export type EventIdInput = z.infer<typeof EventIdInput>;

/** A piece of the feed. The REST door sends `items` bare and the rest as headers. */
export type Feed = {
  items: EventView[];
  /** `Oldest-Sequence`: the oldest that is still held, or the next one where none is. */
  oldest: number;
  /** `Newest-Sequence`: the last that was given; 0 before the first. */
  newest: number;
  /** `Read-Through-Sequence`: as far as was looked, whatever the filter: nothing up to there has still to be read. */
  readThrough: number;
  /** With `page`. */
  totals?: Page<EventView>['totals'];
};

export type EventPage = Page<EventView>;
