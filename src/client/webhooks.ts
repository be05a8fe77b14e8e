import { Webhook } from 'standardwebhooks';
import type { Schemas } from './api-types.ts';
import type { paths } from './generated/api.ts';

/** Not this clinic's, too old, or changed on its way. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

type Choice = NonNullable<
  paths['/webhook_endpoints']['post']['requestBody']
>['content']['application/json']['event_types'][number];
/** `appointment.scheduled`, … */
export type WebhookEventName = Extract<Choice, `${string}.${string}`>;

type Resource = {
  patient: Schemas['Patient'];
  subscription: Schemas['Subscription'];
  appointment: Schemas['Appointment'];
};
type PayloadOf<Name extends string> = Name extends `${infer Type extends keyof Resource}.${string}`
  ? Resource[Type]
  : Record<string, unknown>;

type Named<Name extends string> = {
  type: Name;
  /** The same however often it is delivered: apply it once. */
  id: string;
  event_name: string;
  event_type: string;
  event_topic: string;
  tenant_id: string;
  contract_version: string;
  /** RFC 3339. */
  timestamp: string;
};

type Happened<Name extends string> = Named<Name> & {
  test?: never;
  /** Rises by one for each event of the clinic, without gaps. */
  sequence: number;
  cursor: number | null;
  /** What this endpoint was not sent since it last took something; null where nothing is missing. */
  missed_sequence: number | null;
  replayed: boolean;
  object_id: string;
  patient_id: string | null;
  author_type: string;
  author_id: string;
  created_at: string;
  time: number;
  /** The resource as it was when it happened, where the endpoint is sent snapshots. */
  payload?: PayloadOf<Name>;
};

/** Sent by `POST /webhook_endpoints/{id}/test`: it says what an event would be called, and nothing happened. */
type Tested<Name extends string> = Named<Name> & { test: true };

/** What an endpoint is sent. */
export type WebhookEvent = { [Name in WebhookEventName]: Happened<Name> | Tested<Name> }[WebhookEventName];

type GivenHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks that a message is this clinic's, fresh and unchanged.
 * @param body the bytes as they came: JSON that was read and written again has another signature
 * @param secret `whsec_…` of the endpoint
 * @throws WebhookVerificationError: answer 401; something else where the secret is none
 */
export function verifyWebhook(body: string | Uint8Array, headers: GivenHeaders, secret: string): WebhookEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const webhook = new Webhook(secret);
  try {
    return webhook.verify(text, plain(headers)) as WebhookEvent;
  } catch (error) {
    throw new WebhookVerificationError((error as Error).message);
  }
}

function plain(headers: GivenHeaders): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
