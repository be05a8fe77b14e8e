import { z } from 'zod';
import { anyOf, CursorPaging, Id, integer, type Page, page, text, UtcInstant } from './conventions.ts';
import { EVENT_TOPICS, EVENT_TYPES, type EventTopic, type EventType } from './event-types.ts';
import { EXAMPLE } from './examples.ts';

const EventTypes = z.enum(EVENT_TYPES as [EventType, ...EventType[]]);
const EventTopics = z.enum([...new Set(Object.values(EVENT_TOPICS).flat())] as [EventTopic, ...EventTopic[]]);

/** Maximum time that a reader may wait for events, in seconds. */
export const MAX_WAIT_S = 30;
const MAX_SEQUENCE = 999_999_999_999_999;

export const EventView = z
  .object({
    id: Id.meta({ description: 'UUIDv7; the same in every delivery.', examples: [EXAMPLE.eventId] }),
    sequence: z.int().meta({ description: 'Increases by one, without gaps.', examples: [1042] }),
    event_name: z.string().meta({ description: 'Type and topic as a title.', examples: ['Appointment Scheduled'] }),
    event_type: z.string().meta({ examples: ['appointment'] }),
    event_topic: z.string().meta({ examples: ['scheduled'] }),
    tenant_id: Id.meta({ examples: [EXAMPLE.tenantId] }),
    patient_id: Id.nullable().meta({
      description: 'The patient that it concerns; null for events without a patient.',
      examples: [EXAMPLE.patientId],
    }),
    author_type: z.string().meta({
      description: '`Application`, `Patient`, `Practitioner`, `Admin`, `Staff` (other roles), `Visitor` or `System`.',
      examples: ['Practitioner'],
    }),
    author_id: z.string().meta({ description: 'The id of the author.', examples: [EXAMPLE.practitionerId] }),
    created_at: UtcInstant.meta({ examples: ['2026-11-16T15:04:05.000Z'] }),
    time: z.int().meta({ description: '`created_at` in unix seconds.', examples: [1_794_841_445] }),
    payload: z.record(z.string(), z.unknown()).meta({
      description:
        'The resource as the API showed it at that moment, without secrets. For `visit` events it is the video call: `id` of the appointment, `patient_id`, `started_at` (when the patient was admitted), `ended_at`, `ended_by` (`patient`, `staff` or `time`), and `joined` (`patient` or `staff`) for `visit.joined`.',
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
    .meta({ description: 'The topics, any of these, comma-separated: `scheduled,canceled`.' }),
  object_id: text(255).optional().meta({ description: 'The id of the patient, subscription, appointment … itself.' }),
  patient_id: Id.optional().meta({ description: 'The patient that the event concerns.' }),
};

/** The event feed, oldest first. */
export const ListEventsInput = z.strictObject({
  after_sequence: integer(0, MAX_SEQUENCE).optional().meta({
    description:
      'Returns events after this sequence: the last one that you have processed, or the `Read-Through-Sequence` of the previous response. Defaults to the oldest stored event.',
  }),
  size: CursorPaging.size,
  page: page.meta({
    description:
      'A numbered page, counted from the oldest stored event, with the totals; instead of `after_sequence` and `wait`. Pages shift as old events expire: to process every event, use `after_sequence`.',
  }),
  wait: integer(0, MAX_WAIT_S).optional().meta({
    description: 'The number of seconds to wait for new events before an empty response.',
  }),
  ...Filters,
});
export type ListEventsInput = z.infer<typeof ListEventsInput>;

/** The portal's event list, newest first. */
export const ListLatestEventsInput = z.strictObject({ ...CursorPaging, ...Filters });
export type ListLatestEventsInput = z.infer<typeof ListLatestEventsInput>;

export const EventIdInput = z.strictObject({ id: Id.meta({ examples: [EXAMPLE.eventId] }) });
export type EventIdInput = z.infer<typeof EventIdInput>;

/** A page of the event feed. The REST handler sends `items` as the body and the rest as headers. */
export type Feed = {
  items: EventView[];
  /** `Oldest-Sequence`: the oldest stored event, or the next sequence when none is stored. */
  oldest: number;
  /** `Newest-Sequence`: the last assigned sequence; 0 before the first event. */
  newest: number;
  /**
   * `Read-Through-Sequence`: how far the feed was searched, regardless of filters; earlier events need not be read
   * again.
   */
  readThrough: number;
  /** With `page`. */
  totals?: Page<EventView>['totals'];
};

export type EventPage = Page<EventView>;
