import { MOST_TRIES } from '#contract/webhooks.ts';
import type { WebhookEndpoint } from '#generated/prisma/client.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/send-message.ts';
import type { Claimed } from './claim-deliveries.ts';
import { answerBoundTo } from './endpoint.ts';
import { firstTryAt } from './queue-deliveries.ts';
import type { Outcome } from './send-delivery.ts';

/** Before the second try, the third, …; the first is at once. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR];
/** Up or down, so that not all come back at once. */
const JITTER = 0.1;
/** A receiver may ask for more patience, within reason. */
const MOST_PATIENCE = DAY;
const OFF_AFTER = 5 * DAY;
const TELL_AGAIN = DAY;
const GONE = 410;

/** Whether the object's next one may come: this one has arrived, or was given up. */
type End = 'delivered' | 'parked' | null;

/**
 * Writes down how a try went, and lets go of it. What stands behind it in its lane is due once it is over. Nothing is
 * written where another process has taken it over meanwhile; `true` where it was.
 */
export async function concludeDelivery(
  ctx: Context,
  endpoint: WebhookEndpoint,
  claimed: Claimed,
  outcome: Outcome,
): Promise<boolean> {
  const isGone = outcome.status === GONE && claimed.kind !== 'test';
  const end = endOf(claimed, outcome, isGone);
  const isOurs = await write(ctx, endpoint, claimed, outcome, end);
  if (!isOurs || claimed.kind === 'test') return isOurs;
  if (outcome.error === null) await noteHealthy(ctx, endpoint);
  else await noteFailure(ctx, endpoint, { isGone, isParked: end === 'parked' });
  return true;
}

function endOf({ kind, attempts }: Claimed, { error, hopeless }: Outcome, isGone: boolean): End {
  if (error === null) return 'delivered';
  // It is tried again when somebody switches the endpoint on.
  if (isGone) return null;
  return hopeless || kind === 'test' || attempts >= MOST_TRIES ? 'parked' : null;
}

async function write(
  ctx: Context,
  endpoint: WebhookEndpoint,
  claimed: Claimed,
  outcome: Outcome,
  end: End,
): Promise<boolean> {
  const { tenantId, cipher } = ctx;
  const now = ctx.clock.now();
  const own = { tenantId, endpointId: endpoint.id };
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.webhookDelivery.updateMany({
      where: { ...own, id: claimed.id, state: 'sending', lease: claimed.lease },
      data: {
        state: end ?? 'waiting',
        lease: null,
        leasedUntil: null,
        nextTryAt: end ? null : nextTryAt(claimed.attempts, outcome.retryAfter, now),
        endedAt: end ? now : null,
        lastStatus: outcome.status,
        lastError: outcome.error,
        lastMs: outcome.ms,
        answer: outcome.status === null ? null : cipher.seal(outcome.answer, answerBoundTo(claimed.id)),
        sent: outcome.as ?? Prisma.DbNull,
      },
    });
    if (count === 0) return false;
    if (!end) return true;
    // By a statement of its own, which sees what was queued behind it until the moment its row was free.
    await tx.$executeRaw`
      update webhook_deliveries set state = 'waiting', next_try_at = ${firstTryAt(endpoint, now)}::timestamptz
      where id = (
        select id from webhook_deliveries
        where tenant_id = ${tenantId}::uuid and endpoint_id = ${endpoint.id}::uuid and kind = ${claimed.kind}
          and object_id = ${claimed.object_id} and state = 'held'
        order by sequence limit 1)`;
    if (end === 'delivered' && claimed.kind === 'replay')
      await tx.webhookDelivery.updateMany({
        where: { ...own, objectId: claimed.object_id, eventId: claimed.event_id, state: 'parked' },
        data: { state: 'recovered' },
      });
    return true;
  });
}

/** Exported for its test. `retryAfter` as RFC 9110 §10.2.3 has it: seconds, or a date. */
export function nextTryAt(attempts: number, retryAfter: string | null, now: Date): Date {
  const planned = PAUSES[Math.min(attempts, PAUSES.length) - 1]! * (1 + JITTER * (2 * Math.random() - 1));
  const text = retryAfter?.trim() ?? '';
  const asked = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  const patience = Number.isFinite(asked) ? Math.min(asked, MOST_PATIENCE) : 0;
  return new Date(now.getTime() + Math.round(Math.max(planned, patience)));
}

async function noteHealthy({ db, tenantId }: Context, { id }: WebhookEndpoint): Promise<void> {
  await db.webhookEndpoint.updateMany({
    where: { tenantId, id, failingSince: { not: null } },
    data: { failingSince: null },
  });
}

/** Told once a day at most, however much is given up. */
async function noteFailure(
  ctx: Context,
  { id }: WebhookEndpoint,
  { isGone, isParked }: { isGone: boolean; isParked: boolean },
): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const since = { tenantId, id, failingSince: null };
  await ctx.db.webhookEndpoint.updateMany({ where: since, data: { failingSince: now } });
  const longAgo = { lt: new Date(now.getTime() - OFF_AFTER) };
  await ctx.db.$transaction(async (tx) => {
    const failing = isGone ? { tenantId, id } : { tenantId, id, failingSince: longAgo };
    const off = await tx.webhookEndpoint.updateMany({
      where: { ...failing, enabled: true },
      data: { enabled: false, offBecause: isGone ? 'gone' : 'failing', offAt: now, failureToldAt: now },
    });
    const untold = { OR: [{ failureToldAt: null }, { failureToldAt: { lt: new Date(now.getTime() - TELL_AGAIN) } }] };
    const told =
      off.count === 0 && isParked
        ? await tx.webhookEndpoint.updateMany({ where: { tenantId, id, ...untold }, data: { failureToldAt: now } })
        : { count: 0 };
    if (off.count + told.count === 0) return;
    const { url, offBecause } = await tx.webhookEndpoint.findFirstOrThrow({ where: { tenantId, id } });
    const { host } = new URL(url);
    if (off.count > 0)
      await record(tx, ctx, {
        action: 'webhooks.switch_off',
        object: { type: 'WebhookEndpoint', id },
        details: { because: offBecause, host },
      });
    const page = `${ctx.config.publicUrl}/settings/webhooks`;
    const admins = await tx.staffUser.findMany({
      where: { tenantId, role: 'admin', disabledAt: null, passwordHash: { not: null } },
    });
    for (const { id: staffUserId, email } of admins)
      await sendMessage(tx, ctx, {
        kind: off.count > 0 ? 'webhooks_off' : 'webhooks_failing',
        staffUserId,
        to: email,
        receiver: host,
        url: page,
      });
  });
}
