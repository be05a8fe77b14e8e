import { eventNameOf } from '#contract/event-types.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { isStored, listEventRows, type StoredEvent } from '#server/events/index.ts';
import type { Claimed } from './claim-deliveries.ts';
import type { EventToSend } from './queue-deliveries.ts';

/** The part of a delivery that its message is built from. */
export type DeliveryRef = Omit<EventToSend, 'sequence'> &
  Pick<Claimed, 'kind' | 'created_at'> & { sequence: number | bigint };

/**
 * Everything in a message in addition to its event. With both, it can be rebuilt byte for byte, so no copy of a sent
 * message is stored. `cursor` and `missed` are null for a test.
 */
export type SentAs = {
  url: string;
  payload: 'thin' | 'snapshot';
  contract_version: string;
  cursor: number | null;
  missed: number | null;
  /** Seconds since 1970. */
  at: number;
  signature: string;
};

const ALL = { names: null, objectId: null, patientId: null };

/** Returns the event of a delivery; null when it is no longer stored, and for a test. */
export async function findDeliveryEvent(ctx: Context, about: DeliveryRef): Promise<StoredEvent | null> {
  const from = Number(about.sequence) - 1;
  const [event] = await listEventRows(ctx, ALL, { from, backwards: false, limit: 1 });
  return event && event.id === about.event_id && isStored(event) ? event : null;
}

type MessageFields = Pick<SentAs, 'payload' | 'contract_version' | 'cursor' | 'missed'>;

/** The fields of an event that its delivery does not have. */
export type EventFields = Pick<StoredEvent, 'author_type' | 'author_id' | 'created_at' | 'payload'>;

/** Builds the body of a message; that of a test when there is no event. */
export function webhookBody(
  tenantId: string,
  about: DeliveryRef,
  event: EventFields | null,
  fields: MessageFields,
): string {
  const base = {
    type: `${about.event_type}.${about.event_topic}`,
    id: about.event_id,
    event_name: eventNameOf(about.event_type, about.event_topic),
    event_type: about.event_type,
    event_topic: about.event_topic,
    tenant_id: tenantId,
    contract_version: fields.contract_version,
  };
  if (!event) return JSON.stringify({ ...base, timestamp: about.created_at.toISOString(), test: true });
  const createdAt = event.created_at.toISOString();
  return JSON.stringify({
    ...base,
    timestamp: createdAt,
    sequence: Number(about.sequence),
    cursor: fields.cursor,
    missed_sequence: fields.missed,
    replayed: about.kind === 'replay',
    object_id: about.object_id,
    patient_id: about.patient_id,
    author_type: event.author_type,
    author_id: event.author_id,
    created_at: createdAt,
    time: Math.floor(event.created_at.getTime() / SECOND),
    ...(fields.payload === 'snapshot' && { payload: event.payload }),
  });
}

/** The headers of Standard Webhooks, and those sent with them. */
export const webhookHeaders = (eventId: string, { at, signature }: Pick<SentAs, 'at' | 'signature'>) => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Carelane-Webhooks/1',
  'webhook-id': eventId,
  'webhook-timestamp': String(at),
  'webhook-signature': signature,
});
