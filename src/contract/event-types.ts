import type { Scope } from './scopes.ts';

/** Event types and their topics. */
export const EVENT_TOPICS = {
  patient: ['created', 'updated', 'invited', 'signed_up', 'confirmed', 'archived', 'unarchived', 'merged'],
  subscription: [
    'created',
    'updated',
    'activated',
    'trial_will_end',
    'payment_succeeded',
    'payment_failed',
    'payment_action_required',
    'refunded',
    'disputed',
    'canceled',
    'expired',
  ],
  appointment: ['scheduled', 'rescheduled', 'canceled', 'changed', 'unmatched'],
  message: ['sent', 'failed'],
  visit: ['started', 'joined', 'ended'],
  task: ['created', 'updated', 'completed'],
  integration: ['connected', 'degraded', 'recovered', 'disconnected'],
} as const;

export type EventType = keyof typeof EVENT_TOPICS;
export type EventTopic = (typeof EVENT_TOPICS)[EventType][number];
/** `appointment.scheduled` */
export type EventName = { [Type in EventType]: `${Type}.${(typeof EVENT_TOPICS)[Type][number]}` }[EventType];

export const EVENT_TYPES = Object.keys(EVENT_TOPICS) as EventType[];

/** The read scope that an application needs in addition to `events:read` to get events of a type. */
export const SCOPE_OF_TYPE: Record<EventType, Scope> = {
  patient: 'patients:read',
  subscription: 'subscriptions:read',
  appointment: 'appointments:read',
  message: 'patients:read',
  visit: 'appointments:read',
  task: 'tasks:read',
  integration: 'admin',
};

/** `Appointment Scheduled` */
export const eventNameOf = (type: string, topic: string): string =>
  `${type}_${topic}`
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/**
 * Returns the types and topics that a filter selects: all without a filter, none when no topic belongs to the types.
 */
export function selectEvents(
  types: EventType[] | undefined,
  topics: EventTopic[] | undefined,
): [EventType, EventTopic][] {
  return (types ?? EVENT_TYPES).flatMap((type) =>
    (EVENT_TOPICS[type] as readonly EventTopic[])
      .filter((topic) => !topics || topics.includes(topic))
      .map((topic): [EventType, EventTopic] => [type, topic]),
  );
}

/** Sent to the portal on each change: enough to refetch what is shown, without any content. */
export type LiveChange = { type: EventType; topic: string; object_id: string; patient_id: string | null };
