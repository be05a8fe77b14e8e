import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from './cli-error.ts';
import { type FeedEvent, objectOf } from './feed.ts';
import { reasonOf } from './service.ts';
import { within } from './within.ts';

/** Version of the API that the events come from. */
export const CONTRACT_VERSION = '1.0.0';
/** The same timeout as for the service's webhook endpoints. */
const PATIENCE_MS = 15_000;
/** Pauses between attempts. The service itself retries for three days, which is too long for a terminal. */
const PAUSES_MS = [1_000, 5_000, 15_000];
const LONGEST_PAUSE_MS = 60_000;
const GONE = 410;

type Target = { forwardTo: URL; payload: 'thin' | 'snapshot'; secret: string };
type Told = { signal: AbortSignal; onFailure: (why: string, pauseMs: number | null) => void; pausesMs?: number[] };
export type Forwarded = { status: number | null; ms: number; attempts: number; error: string | null };

/**
 * Posts events one after the other, in the format of the service's webhooks. An event that fails repeatedly is skipped:
 * later events of the same object then have its sequence in `missed_sequence`, and `cursor` stays before it.
 */
export function createForwarder(
  { forwardTo, payload, secret }: Target,
  { signal, onFailure, pausesMs = PAUSES_MS }: Told,
) {
  const missed = new Map<string, number>();
  let firstMissed: number | null = null;

  const bodyOf = (event: FeedEvent): string =>
    JSON.stringify({
      type: `${event.event_type}.${event.event_topic}`,
      id: event.id,
      event_name: event.event_name,
      event_type: event.event_type,
      event_topic: event.event_topic,
      tenant_id: event.tenant_id,
      contract_version: CONTRACT_VERSION,
      timestamp: event.created_at,
      sequence: event.sequence,
      cursor: firstMissed === null ? event.sequence : firstMissed - 1,
      missed_sequence: missed.get(objectOf(event)) ?? null,
      replayed: false,
      object_id: objectOf(event),
      patient_id: event.patient_id,
      author_type: event.author_type,
      author_id: event.author_id,
      created_at: event.created_at,
      time: event.time,
      ...(payload === 'snapshot' && { payload: event.payload }),
    });

  async function post(id: string, body: string): Promise<Omit<Forwarded, 'attempts' | 'ms'> & { waitMs: number }> {
    try {
      const response = await fetch(forwardTo, {
        method: 'POST',
        body,
        headers: headersOf(id, body, secret),
        redirect: 'manual',
        signal: within(PATIENCE_MS, signal),
      });
      await response.body?.cancel();
      const { status } = response;
      const waitMs = Number(response.headers.get('retry-after') || 0) * 1000 || 0;
      const isRedirect = status >= 300 && status < 400;
      const error = response.ok ? null : `it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`;
      return { status, error, waitMs };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, error: reasonOf(error), waitMs: 0 };
    }
  }

  return async (event: FeedEvent): Promise<Forwarded> => {
    const body = bodyOf(event);
    for (let attempts = 1; ; attempts += 1) {
      const began = performance.now();
      const { status, error, waitMs } = await post(event.id, body);
      const ms = Math.round(performance.now() - began);
      if (error === null) return { status, ms, attempts, error };
      if (status === GONE)
        throw new CliError(
          `${forwardTo} answered 410, by which a receiver says that it wants no more. Nothing is sent on.`,
        );
      const next = pausesMs[attempts - 1];
      const pauseMs = next === undefined ? null : Math.min(Math.max(next, waitMs), LONGEST_PAUSE_MS);
      onFailure(error, pauseMs);
      if (pauseMs === null) {
        missed.set(objectOf(event), event.sequence);
        firstMissed ??= event.sequence;
        return { status, ms, attempts, error };
      }
      await pause(pauseMs, undefined, { signal });
    }
  };
}

/** Headers of Standard Webhooks. */
function headersOf(id: string, body: string, secret: string): Record<string, string> {
  const at = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Carelane-CLI/1',
    'webhook-id': id,
    'webhook-timestamp': `${at}`,
    'webhook-signature': `v1,${signature}`,
  };
}
