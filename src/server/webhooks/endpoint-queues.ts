import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Claimed, Work } from './claim-deliveries.ts';
import type { Outcome, Secrets } from './send-delivery.ts';

/** Claimed deliveries of this process that have not ended. */
const MAX_CLAIMED = 128;
/** Concurrent requests of this process. */
const MAX_CONCURRENT = 64;
export const MAX_CONCURRENT_PER_ENDPOINT = 4;
/** An endpoint that takes longer than this, or fails, gets one delivery at a time, so that it does not delay others. */
const SLOW_MS = 2 * SECOND;
/** Of an endpoint that answers within this, more are claimed than sent at once: a claim costs the same for many. */
const FAST_MS = 100;
const MAX_CLAIMED_PER_FAST_ENDPOINT = 16;
/** A claim that has not been started by then might lapse and go to another process before it ends. */
const START_WITHIN_MS = 3 * SECOND;

/** What is shared by the deliveries of one claim. */
export type Batch = { ctx: Context; secrets: Secrets; claimedAt: number };
type Waiting = { claimed: Claimed; batch: Batch };
type Endpoint = { tenantId: string; pace: 'normal' | 'slow' | 'fast'; running: number; waiting: Waiting[] };

const MOST_CLAIMED = { slow: 1, normal: MAX_CONCURRENT_PER_ENDPOINT, fast: MAX_CLAIMED_PER_FAST_ENDPOINT };

/**
 * The claimed deliveries of this process, each endpoint's in a queue. Those of a switched-off or slow endpoint, and
 * those that have waited too long, are returned by `takeBack` instead of being sent.
 */
export function createEndpointQueues({
  send,
  onEnd,
}: {
  /** Never rejects. */
  send: (claimed: Claimed, batch: Batch) => Promise<Outcome | null>;
  /** A delivery has ended, or is not sent. */
  onEnd: (tenantId: string) => void;
}) {
  const endpoints = new Map<string, Endpoint>();
  const sending = new Set<Promise<void>>();
  /** By tenant, until `takeBack`. */
  const unsent = new Map<string, Claimed[]>();
  let isOpen = true;
  let claimedCount = 0;

  const ofTenant = (tenantId: string) => [...endpoints].filter(([, one]) => one.tenantId === tenantId);
  const waitingAt = (tenantId: string): string[] =>
    ofTenant(tenantId).flatMap(([id, { waiting }]) => (waiting.length > 0 ? [id] : []));

  function pump(endpoint: Endpoint): void {
    const most = endpoint.pace === 'slow' ? 1 : MAX_CONCURRENT_PER_ENDPOINT;
    while (isOpen && endpoint.running < most && sending.size < MAX_CONCURRENT) {
      const next = endpoint.waiting.shift();
      if (!next) break;
      if (performance.now() - next.batch.claimedAt <= START_WITHIN_MS) begin(endpoint, next);
      else {
        giveBack(endpoint, [next]);
        onEnd(endpoint.tenantId);
      }
    }
  }

  function begin(endpoint: Endpoint, { claimed, batch }: Waiting): void {
    endpoint.running += 1;
    const work = send(claimed, batch).then((outcome) => {
      const wasFull = sending.size === MAX_CONCURRENT;
      sending.delete(work);
      endpoint.running -= 1;
      claimedCount -= 1;
      if (outcome) {
        const isSlow = outcome.ms > SLOW_MS || outcome.error !== null;
        endpoint.pace = isSlow ? 'slow' : outcome.ms <= FAST_MS ? 'fast' : 'normal';
        if (isSlow) giveBack(endpoint, endpoint.waiting.splice(0));
      }
      if (wasFull) endpoints.forEach(pump);
      else pump(endpoint);
      onEnd(endpoint.tenantId);
    });
    sending.add(work);
  }

  function giveBack({ tenantId }: Endpoint, given: Waiting[]): void {
    claimedCount -= given.length;
    const all = unsent.get(tenantId) ?? [];
    unsent.set(tenantId, all.concat(given.map(({ claimed }) => claimed)));
  }

  return {
    /** How many more may be claimed. */
    room: (): number => (sending.size < MAX_CONCURRENT ? MAX_CLAIMED - claimedCount : 0),
    workOf: (tenantId: string): Work[] =>
      ofTenant(tenantId).map(([endpointId, { running, waiting, pace }]) => ({
        endpointId,
        running: running + waiting.length,
        most: MOST_CLAIMED[pace],
      })),
    /** The endpoints with deliveries that have not started. */
    waitingAt,
    isWaiting: (tenantId: string): boolean => waitingAt(tenantId).length > 0,
    add(all: Claimed[], batch: Batch): void {
      const { tenantId } = batch.ctx;
      claimedCount += all.length;
      for (const claimed of all) {
        const id = claimed.endpoint_id;
        const endpoint = endpoints.get(id) ?? { tenantId, pace: 'normal', running: 0, waiting: [] };
        endpoints.set(id, endpoint);
        endpoint.waiting.push({ claimed, batch });
      }
    },
    /** Starts what was added. Endpoints without deliveries are forgotten, unless they are slow. */
    start(tenantId: string): void {
      for (const [id, endpoint] of ofTenant(tenantId)) {
        pump(endpoint);
        const isIdle = endpoint.running === 0 && endpoint.waiting.length === 0;
        if (isIdle && endpoint.pace !== 'slow') endpoints.delete(id);
      }
    },
    /** Removes those that are not to be sent, and the waiting ones of the endpoints `off`, or all. */
    takeBack(tenantId: string, off: ReadonlySet<string> | 'all' | null): Claimed[] {
      for (const [id, endpoint] of ofTenant(tenantId))
        if (off === 'all' || off?.has(id)) giveBack(endpoint, endpoint.waiting.splice(0));
      const all = unsent.get(tenantId) ?? [];
      unsent.delete(tenantId);
      return all;
    },
    /** Starts no more. @returns the tenants with waiting deliveries */
    stop(): string[] {
      isOpen = false;
      return [
        ...new Set([...endpoints.values()].filter(({ waiting }) => waiting.length > 0).map((one) => one.tenantId)),
      ];
    },
    idle: async (): Promise<void> => void (await Promise.all(sending)),
  };
}
