import { CliError } from './cli-error.ts';
import type { EventFilter } from './options.ts';
import { sanitize } from './screen.ts';
import type { Service } from './service.ts';

/** An event of `GET /events`. */
export type FeedEvent = {
  id: string;
  sequence: number;
  event_name: string;
  event_type: string;
  event_topic: string;
  tenant_id: string;
  patient_id: string | null;
  author_type: string;
  author_id: string;
  created_at: string;
  time: number;
  payload: Record<string, unknown>;
};

const PAGE_SIZE = 100;
const WAIT_S = 30;
/**
 * An object id that does not exist: the response headers contain the position of the feed, and no patient data is read.
 */
const NO_OBJECT_ID = 'none';

/** Converts event names into the filters of the feed, which has separate types and topics. */
function filterOf({ names, object, patient }: EventFilter): Record<string, string> {
  const types = new Set(names.map((name) => name.split('.')[0] ?? ''));
  const topics = new Set(names.map((name) => name.split('.')[1] ?? ''));
  return {
    ...(types.size > 0 && { event_type: [...types].join(',') }),
    ...(topics.size > 0 && !topics.has('') && { event_topic: [...topics].join(',') }),
    ...(object && { object_id: object }),
    ...(patient && { patient_id: patient }),
  };
}

const isNamed = (names: string[], { event_type, event_topic }: FeedEvent) =>
  names.length === 0 || names.includes(event_type) || names.includes(`${event_type}.${event_topic}`);

/** Returns the last assigned sequence. */
export async function newestSequence(service: Service, filter: EventFilter): Promise<number> {
  const query = new URLSearchParams({ ...filterOf(filter), object_id: NO_OBJECT_ID, size: '1' });
  const { headers } = await service.get('/events', query, 0);
  return sequenceOf(headers, 'newest-sequence');
}

function sequenceOf(headers: Headers, name: string): number {
  const value = headers.get(name);
  if (!/^\d{1,15}$/.test(value ?? ''))
    throw new CliError(`The response is not an event feed: the header ${name} is missing.`);
  return Number(value);
}

/**
 * Yields events in order, from after `filter.after` or the oldest stored event. Ends at the newest event unless `follow`
 * is set; calls `onRead` with the position of the feed, also when no event matched.
 */
export async function* readEvents(
  service: Service,
  filter: EventFilter,
  { follow, size = PAGE_SIZE, onRead }: { follow: boolean; size?: number; onRead: (through: number) => void },
): AsyncGenerator<FeedEvent> {
  const feedFilter = filterOf(filter);
  let after = filter.after;
  for (;;) {
    const waitS = follow && after !== null ? WAIT_S : 0;
    const from = { ...(after !== null && { after_sequence: `${after}` }), ...(waitS > 0 && { wait: `${waitS}` }) };
    const query = new URLSearchParams({ ...feedFilter, ...from, size: `${Math.min(size, PAGE_SIZE)}` });
    const { body, headers } = await service.get('/events', query, waitS);
    const events = body as FeedEvent[];
    const through = sequenceOf(headers, 'read-through-sequence');
    for (const event of events) if (isNamed(filter.names, event)) yield event;
    after = through;
    onRead(through);
    if (!follow && through >= sequenceOf(headers, 'newest-sequence')) return;
  }
}

/** `1042  2026-11-16 15:04:05Z  Appointment Scheduled  0199…` */
export const lineOf = ({ sequence, created_at, event_name, ...event }: FeedEvent): string =>
  [`${sequence}`.padStart(6), `${created_at.slice(0, 19).replace('T', ' ')}Z`, event_name.padEnd(26), objectOf(event)]
    .map(sanitize)
    .join('  ');

/** Returns the id of the event's object. The service uses the id of the resource in the payload. */
export function objectOf({ payload, patient_id }: Pick<FeedEvent, 'payload' | 'patient_id'>): string {
  const { id, provider, provider_appointment_id: appointmentId } = payload;
  return String(id ?? provider ?? appointmentId ?? patient_id ?? '');
}
