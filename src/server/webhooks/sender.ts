import { setMaxListeners } from 'node:events';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { createTurns } from '#server/core/turns.ts';
import type { EventSubscription } from '#server/events/index.ts';
import { type Claimed, claimDue, freeAbandoned, nextDueAt, type Work } from './claim-deliveries.ts';
import {
  type Attempt,
  concludeDeliveries,
  isGone,
  isParked,
  releaseDeliveries,
  withoutSwitchedOff,
} from './conclude-deliveries.ts';
import { WEBHOOK_ROUTE } from './endpoint.ts';
import { notifyOfParked, switchOffGone } from './failing.ts';
import { createTally } from './health.ts';
import { followFeed, isBehindFeed } from './queue-deliveries.ts';
import { auditDeliveries, type Signers, sendDelivery } from './send-delivery.ts';

/** Interval for finding endpoints made by other processes, and deliveries left by crashed ones. */
const SCAN_MS = 5 * SECOND;
/** Concurrent deliveries of this process. */
const MAX_CONCURRENT = 64;
const MAX_CONCURRENT_PER_ENDPOINT = 4;
/** An endpoint that takes longer than this, or fails, gets one delivery at a time, so that it does not delay others. */
const SLOW_MS = 2 * SECOND;
/** Tenants processed concurrently; the other connections are for requests. */
const CONCURRENT_TENANTS = 2;
/** A claim that has not been started by then might lapse and go to another process before it ends. */
const START_WITHIN_MS = 3 * SECOND;
const SHUTDOWN_MS = 3 * SECOND;
const MIN_PAUSE_MS = 10;
/** Delay before the next check for due deliveries, after a turn that found some. */
const NEXT_CLAIM_MS = 250;

type TenantState = { subscription: EventSubscription | null; timer: NodeJS.Timeout | null };

/**
 * Sends the due deliveries of all tenants with endpoints while the process lives. Woken by new events, by finished
 * deliveries, by timers for retries, and by an interval for changes made by other processes.
 * A tenant has turns, one after another. Each writes the results since the last turn in one statement, and claims as
 * much as there is room for in another; the busier the tenant, the more deliveries share a turn.
 */
export function createSender(services: Services) {
  const { database, log, clock } = services;
  const tenants = new Map<string, TenantState>();
  /** Tenants whose turn was skipped because this process is at its limit. */
  const deferred = new Set<string>();
  /** Finished attempts by tenant, until they are written. */
  const results = new Map<string, Attempt[]>();
  /** Running deliveries by endpoint. */
  const running = new Map<string, number>();
  /** Slow endpoint -> its tenant. */
  const slow = new Map<string, string>();
  const sending = new Set<Promise<void>>();
  const notifying = new Set<Promise<void>>();
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const tally = createTally(services);
  let scanTimer: NodeJS.Timeout | null = null;
  let isOpen = true;

  // The interval retries after an error.
  const onError = (tenantId: string, error: Error) =>
    log.warn({ tenantId, err: error.message }, 'webhook deliveries were not processed');
  const turns = createTurns({ concurrency: CONCURRENT_TENANTS, run: takeTurn, onError });
  const feeds = createTurns({ concurrency: CONCURRENT_TENANTS, run: takeFeed, onError });
  /** One at a time, so that the checks of many tenants do not delay turns. */
  const checks = createTurns({ concurrency: 1, run: check, onError });

  async function check(tenantId: string): Promise<void> {
    if (!isOpen) return;
    const ctx = systemContext(services, tenantId, 'webhooks');
    if (await isBehindFeed(ctx)) feeds.nudge(tenantId);
    await freeAbandoned(ctx);
    wakeAt(tenantId, await nextDueAt(ctx, fullEndpoints(tenantId)));
  }

  async function takeFeed(tenantId: string): Promise<void> {
    if (!isOpen) return;
    const { created, more } = await followFeed(systemContext(services, tenantId, 'webhooks'));
    // Sends existing deliveries while the rest of a long feed is read.
    if (created > 0) turns.nudge(tenantId);
    if (more) feeds.nudge(tenantId);
  }

  async function takeTurn(tenantId: string): Promise<void> {
    const ctx = systemContext(services, tenantId, 'webhooks');
    const finished = results.get(tenantId) ?? [];
    results.delete(tenantId);
    if (finished.length > 0) await conclude(ctx, finished);
    if (!isOpen) return;
    const room = MAX_CONCURRENT - sending.size;
    if (room <= 0) return void deferred.add(tenantId);
    const claimedAt = performance.now();
    const claimed = await claimDue(ctx, { room, most: MAX_CONCURRENT_PER_ENDPOINT, work: workOf(tenantId) });
    if (claimed.length > 0) {
      await auditDeliveries(ctx, claimed);
      const batch = { signers: new Map(), claimedAt };
      for (const one of await withoutSwitchedOff(ctx, claimed)) begin(ctx, one, batch);
      return wakeAt(tenantId, new Date(clock.now().getTime() + NEXT_CLAIM_MS));
    }
    // A full endpoint is checked again when one of its deliveries ends.
    wakeAt(tenantId, await nextDueAt(ctx, fullEndpoints(tenantId)));
  }

  function workOf(tenantId: string): Work[] {
    const own = [...slow].filter(([, of]) => of === tenantId).map(([id]) => id);
    return [...new Set([...running.keys(), ...own])].map((id) => ({
      endpointId: id,
      running: running.get(id) ?? 0,
      most: slow.has(id) ? 1 : MAX_CONCURRENT_PER_ENDPOINT,
    }));
  }
  const fullEndpoints = (tenantId: string) =>
    workOf(tenantId).flatMap(({ endpointId, running, most }) => (running >= most ? [endpointId] : []));

  function begin(
    ctx: Context,
    claimed: Claimed,
    { signers, claimedAt }: { signers: Signers; claimedAt: number },
  ): void {
    // After a long pause of the process, the claim is left to lapse, and another process sends it.
    if (performance.now() - claimedAt > START_WITHIN_MS) return;
    const { tenantId } = ctx;
    const { endpoint_id } = claimed;
    running.set(endpoint_id, (running.get(endpoint_id) ?? 0) + 1);
    const work = sendDelivery(ctx, claimed, signers, abort.signal)
      .then((outcome) => {
        if (outcome.ms > SLOW_MS || outcome.error !== null) slow.set(endpoint_id, tenantId);
        else slow.delete(endpoint_id);
        const before = results.get(tenantId);
        if (before) before.push({ claimed, outcome });
        else results.set(tenantId, [{ claimed, outcome }]);
      })
      .catch((error: Error) => log.warn({ tenantId, err: error.message }, 'a webhook delivery failed unexpectedly'))
      .finally(() => {
        sending.delete(work);
        const remaining = (running.get(endpoint_id) ?? 0) - 1;
        if (remaining > 0) running.set(endpoint_id, remaining);
        else running.delete(endpoint_id);
        turns.nudge(tenantId);
        for (const tenant of deferred) if (deferred.delete(tenant)) turns.nudge(tenant);
      });
    sending.add(work);
  }

  async function conclude(ctx: Context, finished: Attempt[]): Promise<void> {
    const isCutShort = ({ outcome }: Attempt) => abort.signal.aborted && outcome.error !== null;
    const cutShort = finished.filter(isCutShort);
    if (cutShort.length > 0) await releaseDeliveries(ctx, claimedOf(cutShort));
    const completed = finished.filter((one) => !isCutShort(one));
    if (completed.length === 0) return;
    const written = await concludeDeliveries(ctx, completed).catch((error) => {
      if (completed.length === 1) throw error;
      // A result that cannot be written must not lose the others.
      return Promise.all(completed.map((one) => concludeDeliveries(ctx, [one]).catch(() => logUnwritten(ctx)))).then(
        (all) => all.flat(),
      );
    });
    const counted = written.filter(({ claimed }) => claimed.kind !== 'test');
    for (const { claimed, outcome } of counted) {
      const isDelivered = outcome.error === null;
      const matters = !isDelivered || claimed.is_failing || claimed.attempts > 1 || claimed.kind === 'replay';
      tally.add(ctx.tenantId, claimed.endpoint_id, { isDelivered, matters });
    }
    runForEndpoints(ctx, counted, isGone, switchOffGone);
    runForEndpoints(ctx, counted, isParked, notifyOfParked);
  }

  const claimedOf = (all: Attempt[]) => all.map(({ claimed }) => claimed);
  const logUnwritten = ({ tenantId }: Context): Attempt[] => {
    log.warn({ tenantId }, 'the result of a webhook delivery was not stored');
    return [];
  };

  /** Runs next to the turns, because it waits for the lock on the endpoint. */
  function runForEndpoints(
    ctx: Context,
    all: Attempt[],
    concerns: (one: Attempt) => boolean,
    work: (ctx: Context, endpointId: string) => Promise<void>,
  ): void {
    for (const id of new Set(claimedOf(all.filter(concerns)).map(({ endpoint_id }) => endpoint_id))) {
      const task = work(ctx, id)
        .catch((error) => onError(ctx.tenantId, error))
        .finally(() => notifying.delete(task));
      notifying.add(task);
    }
  }

  function wakeAt(tenantId: string, at: Date | null): void {
    const state = tenants.get(tenantId);
    if (!state || !isOpen) return;
    if (state.timer) clearTimeout(state.timer);
    if (at === null) return;
    const ms = Math.max(MIN_PAUSE_MS, at.getTime() - clock.now().getTime());
    // A later one is found by a later check.
    if (ms < MINUTE) state.timer = setTimeout(() => turns.nudge(tenantId), ms).unref();
  }

  function nudge(tenantId: string): void {
    if (!isOpen) return;
    feeds.nudge(tenantId);
    turns.nudge(tenantId);
  }

  function follow(tenantId: string): void {
    if (tenants.has(tenantId)) return;
    const state: TenantState = { subscription: null, timer: null };
    tenants.set(tenantId, state);
    try {
      state.subscription = services.events.follow(tenantId, {
        onEvents: () => feeds.nudge(tenantId),
        onEnd: () => {},
      });
      // Events numbered before the subscription was ready sent no notification here.
      state.subscription.ready.then(
        () => feeds.nudge(tenantId),
        () => tenants.delete(tenantId),
      );
    } catch {
      tenants.delete(tenantId); // too many followers; the interval covers this tenant
    }
  }

  async function scan(): Promise<void> {
    const tenants = await database.tenantsOf(WEBHOOK_ROUTE);
    for (const tenantId of tenants) {
      follow(tenantId);
      checks.nudge(tenantId);
    }
  }

  return {
    nudge(tenantId: string): void {
      follow(tenantId);
      nudge(tenantId);
    },
    start(): void {
      const rescan = () =>
        scan().catch((error: Error) => log.warn({ err: error.message }, 'could not look for webhooks to send'));
      scanTimer ??= setInterval(rescan, SCAN_MS).unref();
      void rescan();
    },
    /** Stops claiming, and waits for running deliveries or gives them back. */
    async close(): Promise<void> {
      isOpen = false;
      if (scanTimer) clearInterval(scanTimer);
      for (const { subscription, timer } of tenants.values()) {
        subscription?.stop();
        if (timer) clearTimeout(timer);
      }
      const giveUp = setTimeout(() => abort.abort(), SHUTDOWN_MS);
      await checks.idle();
      await feeds.idle();
      await turns.idle(); // sends what the last turn claimed
      await Promise.all(sending);
      clearTimeout(giveUp);
      await turns.idle();
      await Promise.all(notifying);
      await tally.close();
    },
  };
}
