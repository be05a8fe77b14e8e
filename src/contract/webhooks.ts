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
import { EVENT_TOPICS, EVENT_TYPES, type EventType, selectEvents } from './event-types.ts';
import { EXAMPLE } from './examples.ts';

/** Limit per tenant. */
export const MAX_ENDPOINTS = 20;
/** Maximum number of deliveries that one replay queues; the response says how far it came. */
export const MAX_REPLAYED = 10_000;
/** Maximum number of attempts per delivery, over about three days. */
export const MAX_ATTEMPTS = 10;
const MAX_SEQUENCE = 999_999_999_999_999;
const ALL = '*';

const NAMES = Object.entries(EVENT_TOPICS).flatMap(([type, topics]) => topics.map((topic) => `${type}.${topic}`));
const CHOICES = [ALL, ...EVENT_TYPES, ...NAMES];

/** What an endpoint may subscribe to: everything (including new types), whole types, or single events. */
const EventChoice = z.enum(CHOICES as [string, ...string[]]);
const EventChoices = z
  .array(EventChoice)
  .min(1)
  .max(CHOICES.length)
  .transform((chosen) => [...new Set(chosen)])
  .meta({
    description: `\`*\` for everything, including future events; types such as \`patient\`; or single events such as \`appointment.scheduled\`. Needs the read scope of each type.`,
    examples: [['patient', 'appointment.scheduled']],
  });

/** Returns the types whose read scope a choice needs. */
export const selectedTypes = (chosen: readonly string[]): EventType[] =>
  EVENT_TYPES.filter((type) => chosen.some((one) => one === ALL || one.split('.')[0] === type));

/** Returns the event names (`appointment.scheduled`) that a choice includes; null for everything. */
export const selectedNames = (chosen: readonly string[]): string[] | null =>
  chosen.includes(ALL)
    ? null
    : selectEvents(undefined, undefined)
        .filter(([type, topic]) => chosen.includes(`${type}.${topic}`) || chosen.includes(type))
        .map(([type, topic]) => `${type}.${topic}`);

const Payload = z.enum(['thin', 'snapshot']).meta({
  description:
    '`thin`: ids and names, no health data. `snapshot`: the resource as it was when the event happened; each delivery about a patient is recorded in the audit log. An application needs the scope `webhooks:snapshot` for it.',
});
const HealthDataConfirmed = z.literal(true, { error: 'must be true' }).meta({
  description: 'Required for `snapshot`: you confirm that health data may be sent to this address.',
});
const Url = storable(2000)
  .min(1)
  .meta({
    description: 'A public https address. In a sandbox also localhost, and http there.',
    examples: ['https://hooks.example.test/carelane'],
  });
const Description = storable(500).trim();
/** Faults to test a receiver with, in a sandbox. */
export const Chaos = z
  .strictObject({
    duplicates: integer(0, 3).optional().meta({ description: 'The number of duplicates of each delivery.' }),
    delay_ms: integer(0, 10_000).optional().meta({ description: 'The maximum delay of each delivery.' }),
    reorder: flag.optional().meta({ description: 'Changes the order of deliveries for different objects.' }),
    fail_first: integer(0, 5)
      .optional()
      .meta({ description: 'The number of first attempts that fail without reaching the receiver.' }),
  })
  .meta({ description: 'Sandbox only: network faults that are applied to deliveries on purpose.' });
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
      'When enabled again, the endpoint gets what waits for it and new events; events in between can be replayed.',
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
    description: '`waiting` includes deliveries that an earlier event of the same object holds back.',
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
  after_sequence: integer(0, MAX_SEQUENCE).optional().meta({ description: 'Only events after this sequence.' }),
  since: DateOrInstant.optional().meta({ description: 'Only events from this time on, instead of a sequence.' }),
  event_types: EventChoices.optional().meta({ description: 'Only these of the events that the endpoint has chosen.' }),
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
    contract_version: z
      .string()
      .meta({ description: 'Version of the API when this was created.', examples: ['1.0.0'] }),
    chaos: z
      .record(z.string(), z.union([z.int(), z.boolean()]))
      .nullable()
      .meta({ description: 'The faults that a sandbox applies to deliveries on purpose.', examples: [null] }),
    status: z.enum(['ok', 'failing', 'off']).meta({
      description: '`failing`: the last attempt failed, or a delivery was given up and not recovered.',
    }),
    failing_since: UtcInstant.nullable().meta({ examples: [null] }),
    off_because: z
      .enum(['gone', 'failing', 'application_revoked', 'scope_removed'])
      .nullable()
      .meta({
        description:
          'Why it was disabled: it responded with 410, nothing was delivered for five days, its application was revoked, or its application lost a required scope.',
        examples: [null],
      }),
    application_id: Id.nullable().meta({
      description:
        'The application that created it or changed it last; null when staff created it or enabled it again.',
      examples: [null],
    }),
    sequence: z.int().meta({ description: 'Deliveries have been created up to this sequence.', examples: [1042] }),
    old_secret_until: UtcInstant.nullable().meta({
      description: 'Until then, deliveries are also signed with the previous secret.',
      examples: [null],
    }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'WebhookEndpoint' });
export type WebhookEndpointView = z.infer<typeof WebhookEndpointView>;

export const WebhookEndpointWithSecretView = WebhookEndpointView.extend({
  secret: z.string().meta({ description: 'Returned only once. Verifies the signatures of deliveries.', ...PaidOut }),
}).meta({ component: 'WebhookEndpointWithSecret' });
export type WebhookEndpointWithSecretView = z.infer<typeof WebhookEndpointWithSecretView>;

export const WebhookDeliveryView = z
  .object({
    id: Id.meta({ examples: [EXAMPLE.webhookDeliveryId] }),
    endpoint_id: Id.meta({ examples: [EXAMPLE.webhookEndpointId] }),
    event_id: Id.meta({
      description: 'The `webhook-id` header, the same for each attempt.',
      examples: [EXAMPLE.eventId],
    }),
    event_type: z.string().meta({ examples: ['appointment'] }),
    event_topic: z.string().meta({ examples: ['scheduled'] }),
    object_id: z.string().meta({ examples: [EXAMPLE.appointmentId] }),
    patient_id: Id.nullable().meta({ examples: [EXAMPLE.patientId] }),
    sequence: z.int().meta({ examples: [1042] }),
    kind: z.enum(['live', 'replay', 'test']),
    state: z.enum(['waiting', 'sending', 'held', 'delivered', 'parked', 'recovered']).meta({
      description:
        '`held`: an earlier event of the same object has to be delivered first. `parked`: given up after the last attempt. `recovered`: parked, and delivered by a replay since.',
    }),
    attempts: z.int().meta({ examples: [1] }),
    next_try_at: UtcInstant.nullable().meta({ examples: [null] }),
    last_tried_at: UtcInstant.nullable(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the last response.', examples: [204] }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: 'Why the last attempt failed.', examples: [null] }),
    last_ms: z
      .int()
      .nullable()
      .meta({ description: 'The duration of the last attempt, in milliseconds.', examples: [84] }),
    answer: z
      .string()
      .nullable()
      .meta({
        description: 'The beginning of the last response, at most 2 kB, stored for 30 days.',
        examples: [''],
      }),
    created_at: UtcInstant,
    ended_at: UtcInstant.nullable(),
  })
  .meta({ component: 'WebhookDelivery' });
export type WebhookDeliveryView = z.infer<typeof WebhookDeliveryView>;

export const ReplayedView = z
  .object({
    queued: z.int().meta({ description: 'The number of deliveries that will be sent again.', examples: [12] }),
    replayed_through: z.int().meta({ description: 'The last sequence of this replay.', examples: [1042] }),
    more: z
      .boolean()
      .meta({ description: 'Whether there are more: call again with `after_sequence` = `replayed_through`.' }),
  })
  .meta({ component: 'WebhookReplay' });
export type ReplayedView = z.infer<typeof ReplayedView>;

/** Only for the portal's pages. */
export const WebhookHealthInput = z.strictObject({ id: Id.optional() });
export type WebhookHealthInput = z.infer<typeof WebhookHealthInput>;
export const OneWebhookDeliveryInput = z.strictObject({ id: Id });
export type OneWebhookDeliveryInput = z.infer<typeof OneWebhookDeliveryInput>;
export const DeliveriesOfEventInput = z.strictObject({ id: Id.meta({ description: 'The id of the event.' }) });
export type DeliveriesOfEventInput = z.infer<typeof DeliveriesOfEventInput>;

/** The attempts of the last 24 hours, by hour, the latest last. */
export type WebhookHealthView = {
  endpoint_id: string;
  delivered: number;
  failed: number;
  hours: { at: string; delivered: number; failed: number }[];
};

export type WebhookDeliveryWithRequestView = WebhookDeliveryView & {
  /** The last request that was sent, byte for byte; null when there was none, or it is too long ago. */
  request: { url: string; headers: Record<string, string>; body: string } | null;
};

/** The outcome of an event at an endpoint, without the content of the event. */
export type EventDeliveryView = Pick<
  WebhookDeliveryView,
  'id' | 'endpoint_id' | 'kind' | 'state' | 'attempts' | 'next_try_at' | 'last_status' | 'last_error' | 'created_at'
> & { endpoint_url: string };

export type WebhookEndpointPage = Page<WebhookEndpointView>;
export type WebhookDeliveryPage = Page<WebhookDeliveryView>;
