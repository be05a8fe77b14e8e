import type { Scope } from './scopes.ts';

/** What is told of, and what can happen to it. */
export const EVENT_TOPICS = {
  patient: ['created', 'updated', 'invited', 'signed_up', 'confirmed', 'archived', 'unarchived'],
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
  integration: ['connected', 'degraded', 'recovered', 'disconnected'],
} as const;

export type EventType = keyof typeof EVENT_TOPICS;
export type EventTopic = (typeof EVENT_TOPICS)[EventType][number];
/** `appointment.scheduled` */
export type EventName = { [Type in EventType]: `${Type}.${(typeof EVENT_TOPICS)[Type][number]}` }[EventType];

export const EVENT_TYPES = Object.keys(EVENT_TOPICS) as EventType[];

/** Beside `events:read`, what lets an application read the thing itself lets it read what happens to it. */
export const SCOPE_OF_TYPE: Record<EventType, Scope> = {
  patient: 'patients:read',
  subscription: 'subscriptions:read',
  appointment: 'appointments:read',
  message: 'patients:read',
  visit: 'appointments:read',
  integration: 'admin',
};

/** `Appointment Scheduled` */
export const eventNameOf = (type: string, topic: string): string =>
  `${type}_${topic}`
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** The types and topics that a filter asks for: all where it names none, none where its topics belong to no type of it. */
export function namesAsked(
  types: EventType[] | undefined,
  topics: EventTopic[] | undefined,
): [EventType, EventTopic][] {
  return (types ?? EVENT_TYPES).flatMap((type) =>
    (EVENT_TOPICS[type] as readonly EventTopic[])
      .filter((topic) => !topics || topics.includes(topic))
      .map((topic): [EventType, EventTopic] => [type, topic]),
  );
}

/** What the portal is told of a change that somebody made: enough to ask anew for what is shown, and nothing of its content. */
export type LiveChange = { type: EventType; topic: string; object_id: string; patient_id: string | null };
