import { randomBytes } from 'node:crypto';
import { within } from './within.ts';

export interface Delivery {
  id: string;
  url: string;
  /** The provider's event type, for example `invoice.paid`. */
  event: string;
  contentType: string;
  body: string;
  /** Passed to `sign` at each attempt to select the secret. Never the secret itself, because the log is readable. */
  keyId: string;
  /** The provider's id of the reported object or event, for `delivered`. */
  about?: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: { at: number; status?: number; error?: string }[];
}

export interface WebhookOptions {
  /** Headers for one attempt; called for each attempt because signatures contain the time of sending. */
  sign(delivery: Delivery): Record<string, string>;
  /** Waits between attempts in milliseconds; the number of attempts is the number of waits plus one. */
  retryWaitsMs?: number[];
  /** Returns true when a response with this status is retried; by default every status except 2xx. */
  retries?(status: number): boolean;
  /** Called after each delivery that the receiver accepted. */
  delivered?(delivery: Delivery): void;
}

type Message = Pick<Delivery, 'url' | 'event' | 'body' | 'contentType' | 'keyId' | 'about'>;

export interface WebhookSender {
  /**
   * Sends in the background, immediately or after `delayMs`, and retries until a 2xx or until the waits are used up.
   */
  send(message: Message, delayMs?: number): Delivery;
  /** Sends a logged delivery again, regardless of its status; undefined when the id is unknown. */
  resend(deliveryId: string): Delivery | undefined;
  /** Newest last. */
  log(): Delivery[];
}

const DEFAULT_WAITS_MS = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 60_000, 120_000];
const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_DELIVERIES = 2000;

/**
 * Creates the webhook sender. `deliveries()` is persisted with the emulator's
 * state; `resume` continues deliveries that a restart interrupted.
 */
export function createWebhookSender(deliveries: () => Delivery[], changed: () => void, options: WebhookOptions) {
  const waits = options.retryWaitsMs ?? DEFAULT_WAITS_MS;
  const retries = options.retries ?? (() => true);
  const timers = new Set<NodeJS.Timeout>();
  const shutdown = new AbortController();

  async function attempt(delivery: Delivery): Promise<void> {
    if (shutdown.signal.aborted || !deliveries().includes(delivery)) return;
    const outcome = await post(delivery, options.sign(delivery), shutdown.signal);
    if (shutdown.signal.aborted) return;
    delivery.attempts.push({ at: Date.now(), ...outcome });
    const isAccepted = outcome.status !== undefined && outcome.status >= 200 && outcome.status < 300;
    const wait = waits[delivery.attempts.length - 1];
    if (isAccepted) {
      delivery.status = 'delivered';
      options.delivered?.(delivery);
    } else if (wait === undefined || (outcome.status !== undefined && !retries(outcome.status)))
      delivery.status = 'failed';
    else scheduleAttempt(wait, delivery);
    changed();
  }

  function scheduleAttempt(waitMs: number, delivery: Delivery): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void attempt(delivery);
    }, waitMs);
    timers.add(timer);
  }

  function deleteOldest(): void {
    const log = deliveries();
    if (log.length <= MAX_DELIVERIES) return;
    const index = log.findIndex((delivery) => delivery.status !== 'pending');
    if (index >= 0) log.splice(index, 1);
  }

  const send: WebhookSender['send'] = ({ url, event, body, contentType, keyId, about }, delayMs = 0) => {
    const id = `dlv_${randomBytes(9).toString('hex')}`;
    const named = about === undefined ? {} : { about };
    const delivery: Delivery = { id, url, event, contentType, body, keyId, ...named, status: 'pending', attempts: [] };
    deliveries().push(delivery);
    deleteOldest();
    scheduleAttempt(delayMs, delivery);
    changed();
    return delivery;
  };

  return {
    send,
    resend(deliveryId: string) {
      const delivery = deliveries().find(({ id }) => id === deliveryId);
      return delivery && send(delivery);
    },
    log: deliveries,
    resume() {
      for (const delivery of deliveries()) if (delivery.status === 'pending') scheduleAttempt(0, delivery);
    },
    stop() {
      shutdown.abort();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

async function post(delivery: Delivery, signature: Record<string, string>, shutdown: AbortSignal) {
  try {
    const response = await fetch(delivery.url, {
      method: 'POST',
      headers: { 'content-type': delivery.contentType, ...signature },
      body: delivery.body,
      // Providers do not follow redirects: a redirect is a failed attempt.
      redirect: 'manual',
      signal: within(ATTEMPT_TIMEOUT_MS, shutdown),
    });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { error: cause instanceof Error ? cause.message : message };
  }
}

/** Returns the `index`-th number of the seed's sequence, 0 to 1 (splitmix32). */
export function randomAt(seed: number, index: number): number {
  let bits = (seed + Math.imul(index + 1, 0x9e3779b9)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
