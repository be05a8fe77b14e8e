import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Following } from '#server/events/followers.ts';
import { type Claimed, claimDue, freeAbandoned, nextDueAt } from './claim-deliveries.ts';
import { concludeDelivery } from './conclude-delivery.ts';
import { WEBHOOK_ROUTE } from './endpoint.ts';
import { createTally } from './health.ts';
import { followFeed } from './queue-deliveries.ts';
import { sendDelivery } from './send-delivery.ts';

/** For endpoints that other processes made, and what they left behind. */
const BEAT_MS = 5 * SECOND;
/** Under way in this process. */
const MOST_AT_ONCE = 64;
const AT_ONCE_AN_ENDPOINT = 4;
/** One that takes so long, or fails, has one at a time: it takes no other's turn. */
const SLOW_MS = 2 * SECOND;
/** How many tenants are looked at together: the rest of the connections is for requests. */
const ABREAST = 2;
/** What was claimed and could not be begun by then might be somebody else's before it ends. */
const BEGIN_WITHIN_MS = 3 * SECOND;
const LET_END_MS = 3 * SECOND;
const LEAST_PAUSE_MS = 10;

type Tail = { following: Following | null; timer: NodeJS.Timeout | null };

/**
 * Sends what is due, of every tenant that has endpoints, as long as the process lives. Woken by new events, by what ends,
 * by the clock for what is to be tried again, and by a beat for what nobody here has heard of.
 */
export function createSender(services: Services) {
  const { database, log, clock } = services;
  const tails = new Map<string, Tail>();
  const due = new Set<string>();
  const looking = new Map<string, Promise<void>>();
  const atWork = new Map<string, number>();
  const slow = new Set<string>();
  const sending = new Set<Promise<void>>();
  const ending = new AbortController();
  const tally = createTally(services);
  let beat: NodeJS.Timeout | null = null;
  let isOpen = true;

  function nudge(tenantId: string): void {
    if (!isOpen) return;
    due.add(tenantId);
    pump();
  }

  function pump(): void {
    for (const tenantId of due) {
      if (looking.size >= ABREAST) return;
      if (looking.has(tenantId)) continue;
      due.delete(tenantId);
      const work = look(tenantId)
        // The beat comes back to it.
        .catch((error: Error) => log.warn({ tenantId, err: error.message }, 'webhooks were not looked after'))
        .finally(() => {
          looking.delete(tenantId);
          pump();
        });
      looking.set(tenantId, work);
    }
  }

  async function look(tenantId: string): Promise<void> {
    const ctx = systemContext(services, tenantId, 'webhooks');
    const endpoints = await ctx.db.webhookEndpoint.findMany({ where: { tenantId, enabled: true } });
    if (endpoints.length === 0) return;
    const feed = await ctx.db.eventFeed.findFirst({ where: { tenantId } });
    // What is there already is sent before more of a long feed is looked at.
    for (const endpoint of endpoints) if (await followFeed(ctx, endpoint, feed?.lastSequence ?? 0n)) due.add(tenantId);
    await freeAbandoned(ctx);
    const claimedAt = performance.now();
    const claimed = isOpen ? await claimDue(ctx, roomsOf(endpoints)) : [];
    for (const one of claimed) {
      const endpoint = endpoints.find(({ id }) => id === one.endpoint_id)!;
      atWork.set(endpoint.id, (atWork.get(endpoint.id) ?? 0) + 1);
      const work = deliver(ctx, endpoint, one, claimedAt)
        .catch((error: Error) => log.warn({ tenantId, err: error.message }, 'a delivery was not written down'))
        .finally(() => {
          sending.delete(work);
          atWork.set(endpoint.id, atWork.get(endpoint.id)! - 1);
          nudge(tenantId);
        });
      sending.add(work);
    }
    const hasRoom = new Set(roomsOf(endpoints).map(({ endpointId }) => endpointId));
    // Who has no room is looked at again when one of theirs ends.
    wakeAt(tenantId, await nextDueAt(ctx, [...hasRoom]));
  }

  function roomsOf(endpoints: WebhookEndpoint[]): { endpointId: string; room: number }[] {
    let left = MOST_AT_ONCE - sending.size;
    // Who has least under way is asked first.
    const byWork = [...endpoints].sort((a, b) => (atWork.get(a.id) ?? 0) - (atWork.get(b.id) ?? 0));
    return byWork.flatMap(({ id, failingSince }) => {
      const most = slow.has(id) || failingSince ? 1 : AT_ONCE_AN_ENDPOINT;
      const room = Math.min(left, most - (atWork.get(id) ?? 0));
      if (room <= 0) return [];
      left -= room;
      return [{ endpointId: id, room }];
    });
  }

  async function deliver(ctx: Context, endpoint: WebhookEndpoint, claimed: Claimed, claimedAt: number): Promise<void> {
    // A process that was held up leaves it to whoever finds it.
    if (performance.now() - claimedAt > BEGIN_WITHIN_MS) return;
    const outcome = await sendDelivery(ctx, endpoint, claimed, ending.signal);
    if (outcome.ms > SLOW_MS) slow.add(endpoint.id);
    else slow.delete(endpoint.id);
    if (ending.signal.aborted && outcome.error !== null) return giveBack(ctx, claimed);
    const isOurs = await concludeDelivery(ctx, endpoint, claimed, outcome);
    if (isOurs && claimed.kind !== 'test') tally.add(endpoint, outcome.error === null);
  }

  /** A try that this process cut short is nobody's fault. */
  async function giveBack({ db, tenantId }: Context, { id, lease }: Claimed): Promise<void> {
    await db.webhookDelivery.updateMany({
      where: { tenantId, id, lease, state: 'sending' },
      data: { state: 'waiting', lease: null, leasedUntil: null, nextTryAt: clock.now(), attempts: { decrement: 1 } },
    });
  }

  function wakeAt(tenantId: string, at: Date | null): void {
    const tail = tails.get(tenantId);
    if (!tail || !isOpen) return;
    if (tail.timer) clearTimeout(tail.timer);
    if (at === null) return;
    const ms = Math.max(LEAST_PAUSE_MS, at.getTime() - clock.now().getTime());
    // A later one is found by a later look.
    if (ms < MINUTE) tail.timer = setTimeout(() => nudge(tenantId), ms).unref();
  }

  function follow(tenantId: string): void {
    if (tails.has(tenantId)) return;
    const tail: Tail = { following: null, timer: null };
    tails.set(tenantId, tail);
    try {
      tail.following = services.kept.events.follow(tenantId, {
        hear: () => nudge(tenantId),
        end: () => {},
      });
      // What was numbered before anybody listened is heard of by nobody.
      tail.following.ready.then(
        () => nudge(tenantId),
        () => tails.delete(tenantId),
      );
    } catch {
      tails.delete(tenantId); // too many wait; the beat looks after it
    }
  }

  async function lookAround(): Promise<void> {
    const tenants = await database.tenantsOf(WEBHOOK_ROUTE);
    for (const tenantId of tenants) {
      follow(tenantId);
      nudge(tenantId);
    }
  }

  return {
    nudge(tenantId: string): void {
      follow(tenantId);
      nudge(tenantId);
    },
    start(): void {
      const again = () =>
        lookAround().catch((error: Error) => log.warn({ err: error.message }, 'could not look for webhooks to send'));
      beat ??= setInterval(again, BEAT_MS).unref();
      void again();
    },
    /** Takes nothing more, and lets what is under way end, or gives it back. */
    async close(): Promise<void> {
      isOpen = false;
      if (beat) clearInterval(beat);
      for (const { following, timer } of tails.values()) {
        following?.stop();
        if (timer) clearTimeout(timer);
      }
      await Promise.all(looking.values());
      const giveUp = setTimeout(() => ending.abort(), LET_END_MS);
      await Promise.all(sending);
      clearTimeout(giveUp);
      await tally.close();
    },
  };
}
