import type { EventType } from '#contract/event-types.ts';
import type { EventDeliveryView, WebhookDeliveryView, WebhookEndpointView } from '#contract/webhooks.ts';
import type { Tone } from '#web/ui/badge.tsx';
import { formatCount } from '#web/ui/count-label.ts';
import { formatRelative } from '#web/ui/format-time.ts';
import { eventTitle, TYPE_NAMES } from '../event-names/event-labels.ts';

/** Display name of a receiver: its description, or its host. */
export const receiverName = ({ url, description }: Pick<WebhookEndpointView, 'url' | 'description'>): string =>
  description || new URL(url).host;

/** `*`, `patient`, `appointment.scheduled` -> "Everything", "Patients", "Appointment scheduled" */
function eventLabel(choice: string): string {
  if (choice === '*') return 'Everything';
  const [event_type = '', event_topic] = choice.split('.');
  return event_topic ? eventTitle({ event_type, event_topic }) : (TYPE_NAMES[event_type as EventType] ?? choice);
}
export const subscribedEventsLabel = (chosen: readonly string[]): string =>
  chosen.includes('*') ? 'Everything' : chosen.map(eventLabel).join(', ');

export const RECEIVER_STATUS_LABELS: Record<WebhookEndpointView['status'], [label: string, tone: Tone]> = {
  ok: ['On', 'good'],
  failing: ['Failing', 'danger'],
  off: ['Off', 'neutral'],
};

/** Problem of a receiver, and its consequence; null where there is none. */
export function problemMessage({ status, off_because, failing_since }: WebhookEndpointView): string | null {
  if (off_because === 'gone')
    return 'It answered that it is gone permanently (410), so nothing more is sent there. Switch it on again once it is back.';
  if (off_because === 'failing')
    return 'Nothing has arrived there for five days, so nothing more is sent. Switch it on again once it is repaired.';
  if (off_because === 'application_revoked')
    return 'The application that this receiver belongs to was revoked, so nothing more is sent. Switch it on again if it is still yours to use.';
  if (off_because === 'scope_removed')
    return 'The application that this receiver belongs to may no longer read all that it is sent, so nothing more is sent. Choose less, or switch it on again if that is meant.';
  if (status === 'off') return 'It was switched off by hand. What waits for it is kept, and nothing new is sent.';
  if (status !== 'failing') return null;
  return failing_since
    ? 'The last try did not arrive. It is tried again by itself; what happens to other patients, appointments and subscriptions is still sent.'
    : 'Something was given up after ten tries. Send it again once the receiver is repaired.';
}

type DeliveryState = Pick<
  EventDeliveryView,
  'kind' | 'state' | 'attempts' | 'next_try_at' | 'last_status' | 'last_error' | 'created_at'
>;

/** Short label of a delivery's state. */
export function stateLabel({ state, attempts, kind }: DeliveryState): [label: string, tone: Tone] {
  if (state === 'waiting') return attempts === 0 ? ['About to be sent', 'info'] : ['Will be tried again', 'warn'];
  if (state === 'parked') return [kind === 'test' ? 'Did not arrive' : 'Given up', 'danger'];
  return STATES[state];
}
const STATES: Record<Exclude<WebhookDeliveryView['state'], 'waiting' | 'parked'>, [string, Tone]> = {
  sending: ['Being sent', 'info'],
  held: ['Waits its turn', 'neutral'],
  delivered: ['Arrived', 'good'],
  recovered: ['Arrived later', 'good'],
};

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Result of the last attempt. */
export function lastAttemptMessage({ state, attempts, last_status, last_error }: DeliveryState): string {
  if (last_error) return sentence(last_error);
  if (last_status) return `It answered ${last_status}.`;
  return attempts === 0 || state === 'sending' ? 'Not tried yet.' : 'It was tried, and the result is not known.';
}

/** Says what comes next; `now` in milliseconds. */
export function nextAttemptMessage(delivery: DeliveryState, now: number): string {
  const { state, attempts, next_try_at, kind } = delivery;
  if (state === 'held')
    return 'Waits until an earlier event of the same patient, appointment or subscription has arrived, so that the order is kept.';
  if (state === 'sending') return 'It is on its way at this moment.';
  if (state === 'delivered') return 'Nothing more: it has arrived.';
  if (state === 'recovered') return 'Nothing more: it was sent again later, and arrived.';
  if (state === 'parked')
    return kind === 'test'
      ? 'Nothing more: a test is tried once.'
      : `Nothing by itself: it was given up after ${attempts} ${attempts === 1 ? 'try' : 'tries'}. Send it again once the receiver is repaired.`;
  const relativeTime = next_try_at ? formatRelative(next_try_at, now) : 'just now';
  const isSoon = relativeTime === 'just now' || relativeTime.endsWith('ago');
  return `${attempts === 0 ? 'The first try is' : 'The next try is'} ${isSoon ? 'in a moment' : relativeTime}.`;
}

export const KIND_LABELS: Record<WebhookDeliveryView['kind'], string> = {
  live: 'As it happened',
  replay: 'Sent again',
  test: 'A test',
};

/** "120 arrived, 3 failed" */
export const healthLabel = (health: { delivered: number; failed: number } | undefined): string =>
  health ? `${formatCount(health.delivered)} arrived, ${formatCount(health.failed)} failed` : 'Nothing was sent';
