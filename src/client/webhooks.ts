import { Webhook } from 'standardwebhooks';
import type { Schemas } from './api-types.ts';
import type { paths } from './generated/api.ts';

/** The message is not from this clinic, too old, or changed in transit. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

type SubscribableType = NonNullable<
  paths['/webhook_endpoints']['post']['requestBody']
>['content']['application/json']['event_types'][number];
/** For example `appointment.scheduled`. */
export type WebhookEventName = Extract<SubscribableType, `${string}.${string}`>;

type Resource = {
  patient: Schemas['Patient'];
  subscription: Schemas['Subscription'];
  appointment: Schemas['Appointment'];
};
type PayloadOf<Name extends string> = Name extends `${infer Type extends keyof Resource}.${string}`
  ? Resource[Type]
  : Record<string, unknown>;

type EventBase<Name extends string> = {
  type: Name;
  /** The same for each delivery of the event: process it once. */
  id: string;
  event_name: string;
  event_type: string;
  event_topic: string;
  tenant_id: string;
  contract_version: string;
  /** RFC 3339. */
  timestamp: string;
};

type DeliveredEvent<Name extends string> = EventBase<Name> & {
  test?: never;
  /** Increases by one for each event of the clinic, without gaps. */
  sequence: number;
  cursor: number | null;
  /** Sequence of the last earlier event of the same object that was not delivered; null when there is none. */
  missed_sequence: number | null;
  replayed: boolean;
  object_id: string;
  patient_id: string | null;
  author_type: string;
  author_id: string;
  created_at: string;
  time: number;
  /** The resource as it was when the event happened, if the endpoint receives snapshots. */
  payload?: PayloadOf<Name>;
};

/** A test message of `POST /webhook_endpoints/{id}/test`: it has no event and no sequence. */
type TestEvent<Name extends string> = EventBase<Name> & { test: true };

/** A message to a webhook endpoint. */
export type WebhookEvent = { [Name in WebhookEventName]: DeliveredEvent<Name> | TestEvent<Name> }[WebhookEventName];

type RequestHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies that a message is from this clinic, recent and unchanged.
 * @param body the raw bytes: parsed and serialised JSON has another signature
 * @param secret `whsec_…` of the endpoint
 * @throws WebhookVerificationError: respond with 401; another error when the secret is invalid
 */
export function verifyWebhook(body: string | Uint8Array, headers: RequestHeaders, secret: string): WebhookEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const webhook = new Webhook(secret);
  try {
    return webhook.verify(text, plain(headers)) as WebhookEvent;
  } catch (error) {
    throw new WebhookVerificationError((error as Error).message);
  }
}

function plain(headers: RequestHeaders): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
