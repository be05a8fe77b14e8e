import { z } from 'zod';
import {
  DateOrInstant,
  flag,
  Id,
  integer,
  NumberedPaging,
  type Page,
  storable,
  text,
  UtcInstant,
} from './conventions.ts';
import { EVENT_TOPICS, EVENT_TYPES, type EventType, namesAsked } from './event-types.ts';
import { EXAMPLE } from './examples.ts';

/** Of one tenant. */
export const MOST_ENDPOINTS = 20;
/** What one replay queues at most; it says how far it came. */
export const MOST_REPLAYED = 10_000;
/** The tries of one delivery, and how long is waited before each but the first: about three days in all. */
export const MOST_TRIES = 10;
const MOST_SEQUENCE = 999_999_999_999_999;
const ALL = '*';

const NAMES = Object.entries(EVENT_TOPICS).flatMap(([type, topics]) => topics.map((topic) => `${type}.${topic}`));
const CHOICES = [ALL, ...EVENT_TYPES, ...NAMES];

/** What an endpoint may be sent: everything (new types too), whole types, or single events of them. */
const EventChoice = z.enum(CHOICES as [string, ...string[]]);
const EventChoices = z
  .array(EventChoice)
  .min(1)
  .max(CHOICES.length)
  .transform((chosen) => [...new Set(chosen)])
  .meta({
    description: `\`*\` for everything, also what comes to be later; types such as \`patient\`; or single events such as \`appointment.scheduled\`. Needs the read scope of each type.`,
    examples: [['patient', 'appointment.scheduled']],
  });

/** The types whose read scope a choice needs. */
export const typesChosen = (chosen: readonly string[]): EventType[] =>
  EVENT_TYPES.filter((type) => chosen.some((one) => one === ALL || one.split('.')[0] === type));

/** `appointment.scheduled` of every event that a choice means; null for everything. */
export const namesChosen = (chosen: readonly string[]): string[] | null =>
  chosen.includes(ALL)
    ? null
    : namesAsked(undefined, undefined)
        .map(([type, topic]) => `${type}.${topic}`)
        .filter((name) => chosen.includes(name) || chosen.includes(name.split('.')[0]!));

const Payload = z.enum(['thin', 'snapshot']).meta({
  description:
    '`thin`: ids and names, no health data. `snapshot`: the resource as it was when it happened; each delivery about a patient stands in the audit log. An application needs the scope `webhooks:snapshot` for it.',
});
const HealthDataConfirmed = z.literal(true, { error: 'must be true' }).meta({
  description: 'Needed for `snapshot`: you have made sure that health data may be sent to this address.',
});
const Url = storable(2000)
  .min(1)
  .meta({
    description: 'A public https address. In a sandbox localhost too, and http there.',
    examples: ['https://hooks.example.test/carelane'],
  });
const Description = storable(500).trim();
/** A receiver's trials, in a sandbox. */
export const Chaos = z
  .strictObject({
    duplicates: integer(0, 3).optional().meta({ description: 'So many more of each delivery.' }),
    delay_ms: integer(0, 10_000).optional().meta({ description: 'How long each waits at most.' }),
    reorder: flag.optional().meta({ description: 'Those of different objects come in another order.' }),
    fail_first: integer(0, 5).optional().meta({ description: 'So many first tries fail and are never seen.' }),
  })
  .meta({ description: 'Sandbox only: what a network may do to deliveries, done on purpose.' });
export type Chaos = z.infer<typeof Chaos>;

export const CreateWebhookEndpointInput = z.strictObject({
  url: Url,
  event_types: EventChoices,
  description: Description.optional(),
  enabled: z.boolean().optional(),
  payload: Payload.optional(),
  health_data_confirmed: HealthDataConfirmed.optional(),
  chaos: Chaos.nullish(),
});
export type CreateWebhookEndpointInput = z.infer<typeof CreateWebhookEndpointInput>;

export const WebhookEndpointIdInput = z.strictObject({
  id: Id.meta({ examples: [EXAMPLE.webhookEndpointId] }),
});
export type WebhookEndpointIdInput = z.infer<typeof WebhookEndpointIdInput>;

export const UpdateWebhookEndpointInput = z.strictObject({
  ...WebhookEndpointIdInput.shape,
  url: Url.optional(),
  event_types: EventChoices.optional(),
  description: Description.optional(),
  enabled: z.boolean().optional().meta({
    description:
      'Switched on again it gets what waits for it and what is new; what happened meanwhile can be replayed.',
  }),
  payload: Payload.optional(),
  health_data_confirmed: HealthDataConfirmed.optional(),
  chaos: Chaos.nullish(),
});
export type UpdateWebhookEndpointInput = z.infer<typeof UpdateWebhookEndpointInput>;

export const ListWebhookEndpointsInput = z.strictObject({ ...NumberedPaging });
export type ListWebhookEndpointsInput = z.infer<typeof ListWebhookEndpointsInput>;

export const ListWebhookDeliveriesInput = z.strictObject({
  ...WebhookEndpointIdInput.shape,
  ...NumberedPaging,
  state: z.enum(['waiting', 'delivered', 'parked']).optional().meta({
    description: '`waiting` also has what is held back by an earlier event of the same object.',
  }),
});
export type ListWebhookDeliveriesInput = z.infer<typeof ListWebhookDeliveriesInput>;

export const WebhookDeliveryIdInput = z.strictObject({
  ...WebhookEndpointIdInput.shape,
  delivery_id: Id.meta({ examples: [EXAMPLE.webhookDeliveryId] }),
});
export type WebhookDeliveryIdInput = z.infer<typeof WebhookDeliveryIdInput>;

export const ReplayWebhooksInput = z.strictObject({
  ...WebhookEndpointIdInput.shape,
  after_sequence: integer(0, MOST_SEQUENCE).optional().meta({ description: 'What follows this sequence.' }),
  since: DateOrInstant.optional().meta({ description: 'What happened from then on, in place of a sequence.' }),
  event_types: EventChoices.optional().meta({ description: 'Of what the endpoint has chosen, these only.' }),
  object_id: text(255).optional(),
  patient_id: Id.optional(),
});
export type ReplayWebhooksInput = z.infer<typeof ReplayWebhooksInput>;

const PaidOut = { examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] };

export const WebhookEndpointView = z
  .object({
    id: Id.meta({ examples: [EXAMPLE.webhookEndpointId] }),
    url: z.string().meta({ examples: ['https://hooks.example.test/carelane'] }),
    description: z.string().meta({ examples: ['Our data warehouse'] }),
    enabled: z.boolean(),
    event_types: z.array(z.string()).meta({ examples: [['patient', 'appointment.scheduled']] }),
    payload: z.enum(['thin', 'snapshot']),
    contract_version: z.string().meta({ description: 'Of the API, when this was made.', examples: ['1.0.0'] }),
    chaos: z
      .record(z.string(), z.union([z.int(), z.boolean()]))
      .nullable()
      .meta({ description: 'What a sandbox does to deliveries on purpose.', examples: [null] }),
    status: z.enum(['ok', 'failing', 'off']).meta({
      description: '`failing` while its last try has failed, or a delivery was given up that nothing has made up for.',
    }),
    failing_since: UtcInstant.nullable().meta({ examples: [null] }),
    off_because: z
      .enum(['gone', 'failing', 'application_revoked', 'scope_removed'])
      .nullable()
      .meta({
        description:
          'Why it was switched off: it answered 410, nothing arrived for five days, its application was revoked, or its application lost a scope that it needs.',
        examples: [null],
      }),
    application_id: Id.nullable().meta({
      description: 'The application that made it or changed it last; null where staff made it or switched it on again.',
      examples: [null],
    }),
    sequence: z.int().meta({ description: 'Up to here its deliveries were made.', examples: [1042] }),
    old_secret_until: UtcInstant.nullable().meta({
      description: 'Until then deliveries are signed with the secret before as well.',
      examples: [null],
    }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'WebhookEndpoint' });
export type WebhookEndpointView = z.infer<typeof WebhookEndpointView>;

export const WebhookEndpointWithSecretView = WebhookEndpointView.extend({
  secret: z.string().meta({ description: 'Shown this once. Verifies what is sent.', ...PaidOut }),
}).meta({ component: 'WebhookEndpointWithSecret' });
export type WebhookEndpointWithSecretView = z.infer<typeof WebhookEndpointWithSecretView>;

export const WebhookDeliveryView = z
  .object({
    id: Id.meta({ examples: [EXAMPLE.webhookDeliveryId] }),
    endpoint_id: Id.meta({ examples: [EXAMPLE.webhookEndpointId] }),
    event_id: Id.meta({ description: 'The `webhook-id` header, the same each time.', examples: [EXAMPLE.eventId] }),
    event_type: z.string().meta({ examples: ['appointment'] }),
    event_topic: z.string().meta({ examples: ['scheduled'] }),
    object_id: z.string().meta({ examples: [EXAMPLE.appointmentId] }),
    patient_id: Id.nullable().meta({ examples: [EXAMPLE.patientId] }),
    sequence: z.int().meta({ examples: [1042] }),
    kind: z.enum(['live', 'replay', 'test']),
    state: z.enum(['waiting', 'sending', 'held', 'delivered', 'parked', 'recovered']).meta({
      description:
        '`held`: an earlier event of the same object comes first. `parked`: given up after the last try. `recovered`: parked, and a replay has arrived since.',
    }),
    attempts: z.int().meta({ examples: [1] }),
    next_try_at: UtcInstant.nullable().meta({ examples: [null] }),
    last_tried_at: UtcInstant.nullable(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the last answer.', examples: [204] }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: 'Why the last try failed.', examples: [null] }),
    last_ms: z
      .int()
      .nullable()
      .meta({ description: 'How long the last try took.', examples: [84] }),
    answer: z
      .string()
      .nullable()
      .meta({
        description: 'The beginning of the last answer, at most 2 kB, kept for 30 days.',
        examples: [''],
      }),
    created_at: UtcInstant,
    ended_at: UtcInstant.nullable(),
  })
  .meta({ component: 'WebhookDelivery' });
export type WebhookDeliveryView = z.infer<typeof WebhookDeliveryView>;

export const ReplayedView = z
  .object({
    queued: z.int().meta({ description: 'How many will be sent again.', examples: [12] }),
    replayed_through: z.int().meta({ description: 'Up to this sequence.', examples: [1042] }),
    more: z.boolean().meta({ description: 'There are more: call again with `after_sequence` = `replayed_through`.' }),
  })
  .meta({ component: 'WebhookReplay' });
export type ReplayedView = z.infer<typeof ReplayedView>;

/** For the portal's pages alone. */
export const WebhookHealthInput = z.strictObject({ id: Id.optional() });
export type WebhookHealthInput = z.infer<typeof WebhookHealthInput>;
export const OneWebhookDeliveryInput = z.strictObject({ id: Id });
export type OneWebhookDeliveryInput = z.infer<typeof OneWebhookDeliveryInput>;
export const DeliveriesOfEventInput = z.strictObject({ id: Id.meta({ description: 'Of the event.' }) });
export type DeliveriesOfEventInput = z.infer<typeof DeliveriesOfEventInput>;

/** The tries of the last 24 hours, by the hour, the latest last. */
export type WebhookHealthView = {
  endpoint_id: string;
  delivered: number;
  failed: number;
  hours: { at: string; delivered: number; failed: number }[];
};

export type WebhookDeliveryWithRequestView = WebhookDeliveryView & {
  /** The last one that was sent, to the byte; null where there was none, or it is too long ago. */
  request: { url: string; headers: Record<string, string>; body: string } | null;
};

/** What became of an event at an endpoint. It says nothing of what the event is about. */
export type EventDeliveryView = Pick<
  WebhookDeliveryView,
  'id' | 'endpoint_id' | 'kind' | 'state' | 'attempts' | 'next_try_at' | 'last_status' | 'last_error' | 'created_at'
> & { endpoint_url: string };

export type WebhookEndpointPage = Page<WebhookEndpointView>;
export type WebhookDeliveryPage = Page<WebhookDeliveryView>;
