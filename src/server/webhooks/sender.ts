import { setMaxListeners } from 'node:events';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { createTurns } from '#server/core/turns.ts';
import type { EventSubscription } from '#server/events/index.ts';
import { type Claimed, claimDue, freeAbandoned, nextDueAt } from './claim-deliveries.ts';
import {
  type Attempt,
  concludeDeliveries,
  findSwitchedOff,
  isGone,
  isParked,
  releaseDeliveries,
} from './conclude-deliveries.ts';
import { WEBHOOK_ROUTE } from './endpoint.ts';
import { type Batch, createEndpointQueues, MAX_CONCURRENT_PER_ENDPOINT } from './endpoint-queues.ts';
import { createFailingChecks, notifyOfParked, switchOffGone } from './failing.ts';
import { followFeed, isBehindFeed } from './queue-deliveries.ts';
import { auditDeliveries, type Outcome, sendDelivery } from './send-delivery.ts';

/** Interval for finding endpoints made by other processes, and deliveries left by crashed ones. */
const SCAN_MS = 5 * SECOND;
/** Tenants processed concurrently; the other connections are for requests. */
const CONCURRENT_TENANTS = 2;
const SHUTDOWN_MS = 3 * SECOND;
const MIN_PAUSE_MS = 10;
/** Delay before the next check for due deliveries, after a turn that found some. */
const NEXT_CLAIM_MS = 250;
/** While claimed deliveries still wait, results are written together in this interval. */
const WRITE_EVERY_MS = 20;

type TenantState = { subscription: EventSubscription | null; timer: NodeJS.Timeout | null };

/**
 * Sends the due deliveries of all tenants with endpoints while the process lives. Woken by new events, by finished
 * deliveries, by timers for retries, and by an interval for changes made by other processes.
 * A tenant has turns, one after another. Each writes the results since the last turn in one statement, and claims as
 * much as there is room for in another; the busier the tenant, the more deliveries share a turn. An endpoint that
 * answers quickly has deliveries waiting here, which are sent while the next turn runs.
 */
export function createSender(services: Services) {
  const { database, log, clock } = services;
  const tenants = new Map<string, TenantState>();
  /** Tenants whose turn was skipped because this process is at its limit. */
  const deferred = new Set<string>();
  /** Finished attempts by tenant, until they are written. */
  const results = new Map<string, Attempt[]>();
  /** Turns that write the results of busy tenants. */
  const writeTimers = new Map<string, NodeJS.Timeout>();
  const queues = createEndpointQueues({ send, onEnd });
  const notifying = new Set<Promise<void>>();
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const failing = createFailingChecks(services);
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
    clearTimeout(writeTimers.get(tenantId));
    writeTimers.delete(tenantId);
    const finished = results.get(tenantId) ?? [];
    results.delete(tenantId);
    if (finished.length > 0) await conclude(ctx, finished);
    await releaseDeliveries(ctx, queues.takeBack(tenantId, isOpen ? null : 'all'));
    if (!isOpen) return;
    const room = queues.room();
    if (room <= 0) return void deferred.add(tenantId);
    const claimedAt = performance.now();
    const claimed = await claimDue(ctx, { room, most: MAX_CONCURRENT_PER_ENDPOINT, work: queues.workOf(tenantId) });
    if (claimed.length > 0) await auditDeliveries(ctx, claimed);
    // Right before sending; those that still wait are checked again in each turn.
    const off = await findSwitchedOff(ctx, [...claimed.map((one) => one.endpoint_id), ...queues.waitingAt(tenantId)]);
    queues.add(claimed, { ctx, secrets: new Map(), claimedAt });
    const back = queues.takeBack(tenantId, isOpen ? off : 'all');
    queues.start(tenantId);
    await releaseDeliveries(ctx, back);
    if (claimed.length > 0) return wakeAt(tenantId, new Date(clock.now().getTime() + NEXT_CLAIM_MS));
    // A full endpoint is checked again when one of its deliveries ends.
    wakeAt(tenantId, await nextDueAt(ctx, fullEndpoints(tenantId)));
  }

  const fullEndpoints = (tenantId: string) =>
    queues.workOf(tenantId).flatMap(({ endpointId, running, most }) => (running >= most ? [endpointId] : []));

  async function send(claimed: Claimed, { ctx, secrets }: Batch): Promise<Outcome | null> {
    const { tenantId } = ctx;
    try {
      const outcome = await sendDelivery(ctx, claimed, secrets, abort.signal);
      const before = results.get(tenantId);
      if (before) before.push({ claimed, outcome });
      else results.set(tenantId, [{ claimed, outcome }]);
      return outcome;
    } catch (error) {
      log.warn({ tenantId, err: (error as Error).message }, 'a webhook delivery failed unexpectedly');
      return null;
    }
  }

  function onEnd(tenantId: string): void {
    for (const tenant of deferred) if (deferred.delete(tenant)) turns.nudge(tenant);
    if (!isOpen || !queues.isWaiting(tenantId)) turns.nudge(tenantId);
    else if (!writeTimers.has(tenantId))
      writeTimers.set(tenantId, setTimeout(() => turns.nudge(tenantId), WRITE_EVERY_MS).unref());
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
    const relevant = written.filter(({ claimed }) => claimed.kind !== 'test');
    for (const { claimed, outcome } of relevant) {
      const hasFailed = outcome.error !== null;
      if (hasFailed || claimed.is_failing || claimed.attempts > 1 || claimed.kind === 'replay')
        failing.add(ctx.tenantId, claimed.endpoint_id, { hasFailed });
    }
    runForEndpoints(ctx, relevant, isGone, switchOffGone);
    runForEndpoints(ctx, relevant, isParked, notifyOfParked);
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
      for (const tenantId of queues.stop()) turns.nudge(tenantId); // gives back those that wait
      await checks.idle();
      await feeds.idle();
      await turns.idle();
      await queues.idle();
      clearTimeout(giveUp);
      await turns.idle();
      await Promise.all(notifying);
      await failing.close();
    },
  };
}
