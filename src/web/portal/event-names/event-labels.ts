import { EVENT_TOPICS, EVENT_TYPES, type EventTopic, type EventType } from '#contract/event-types.ts';
import type { EventView } from '#contract/events.ts';

export const TYPE_NAMES: Record<EventType, string> = {
  patient: 'Patients',
  subscription: 'Subscriptions',
  appointment: 'Appointments',
  message: 'Messages',
  visit: 'Video visits',
  task: 'Tasks',
  integration: 'Integrations',
};
export const TYPE_OPTIONS = EVENT_TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }));

/** `payment_failed` -> `Payment failed` */
const toSentence = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');

/** Topics of the given event types, or of all types when none is given. */
export function topicOptions(types: EventType[]): { value: EventTopic; label: string }[] {
  const chosenTypes = types.length > 0 ? types : EVENT_TYPES;
  const topics = new Set<EventTopic>(chosenTypes.flatMap((type) => [...EVENT_TOPICS[type]]));
  return [...topics].sort().map((value) => ({ value, label: toSentence(value) }));
}

/** `Appointment scheduled` */
export const eventTitle = ({ event_type, event_topic }: Record<'event_type' | 'event_topic', string>): string =>
  toSentence(`${event_type} ${event_topic}`);

const AUTHORS: Record<string, string> = {
  Application: 'An application',
  Patient: 'The patient',
  Practitioner: 'A practitioner',
  Staff: 'A member of the team',
  Admin: 'An administrator',
  Visitor: 'The person who opened the link',
  System: 'Carelane',
};
export const authorLabel = ({ author_type }: EventView): string => AUTHORS[author_type] ?? author_type;
