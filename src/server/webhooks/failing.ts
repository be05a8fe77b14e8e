import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { DAY, HOUR, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { PARKED_FAILING_FOR } from './endpoint.ts';

const OFF_AFTER = 5 * DAY;
const NOTIFY_INTERVAL = DAY;

/**
 * Updates since when an endpoint is failing: since the first failed attempt of a delivery that has not arrived yet,
 * regardless of other deliveries. A receiver that rejects some deliveries is failing until it has all of them; after a
 * short outage it recovers with the next attempt. A delivery that was given up counts for thirty days.
 * With `hasFailed`, switches the endpoint off when nothing at all, not even a test, has arrived for five days.
 */
export async function updateFailingSince(
  ctx: Context,
  id: string,
  { hasFailed }: { hasFailed: boolean },
): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const parkedSince = new Date(now.getTime() - PARKED_FAILING_FOR);
  await ctx.db.$transaction(async (tx) => {
    // The lock serialises concurrent updates, so each sees what the previous one has seen, and more.
    const [endpoint] = await tx.$queryRaw<{ failing_since: Date | null }[]>`
      select failing_since from webhook_endpoints
      where tenant_id = ${tenantId}::uuid and id = ${id}::uuid and enabled for update`;
    if (!endpoint) return;
    const [first] = await tx.$queryRaw<{ at: Date | null }[]>`
      select min(last_tried_at) as at from webhook_deliveries
      where tenant_id = ${tenantId}::uuid and endpoint_id = ${id}::uuid and kind <> 'test'
        and state in ('waiting', 'sending', 'parked') and last_error is not null and attempts > 0
        and (state <> 'parked' or ended_at > ${parkedSince}::timestamptz)`;
    const failingSince = first?.at ? (endpoint.failing_since ?? first.at) : null;
    if (failingSince?.getTime() !== endpoint.failing_since?.getTime())
      await tx.webhookEndpoint.updateMany({ where: { tenantId, id }, data: { failingSince } });
    const offBefore = new Date(now.getTime() - OFF_AFTER);
    if (!hasFailed || !failingSince || failingSince >= offBefore) return;
    const hour = { gt: new Date(offBefore.getTime() - HOUR) };
    const arrived = await tx.webhookHour.findFirst({ where: { tenantId, endpointId: id, hour, delivered: { gt: 0 } } });
    if (!arrived) await switchOff(tx, ctx, id, 'failing');
  });
}

/** The attempts of a second are looked at together: all senders of an endpoint would wait for its lock. */
const CHECK_EVERY_MS = SECOND;

/** Updates the state of endpoints after attempts of this process that may change whether they are failing. */
export function createFailingChecks(services: Services) {
  /** Tenant -> endpoint -> true when an attempt failed. */
  let toCheck = new Map<string, Map<string, boolean>>();
  let timer: NodeJS.Timeout | null = null;
  let checking: Promise<void> = Promise.resolve();

  async function check(batch: typeof toCheck): Promise<void> {
    for (const [tenantId, ofTenant] of batch)
      for (const [id, hasFailed] of ofTenant)
        await updateFailingSince(systemContext(services, tenantId, 'webhooks'), id, { hasFailed }).catch(
          (error: Error) =>
            services.log.warn(
              { tenantId, err: error.message },
              'could not determine whether a webhook endpoint is failing',
            ),
        );
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    const batch = toCheck;
    toCheck = new Map();
    checking = checking.then(() => check(batch));
    return checking;
  }

  return {
    add(tenantId: string, endpointId: string, { hasFailed }: { hasFailed: boolean }): void {
      const ofTenant = toCheck.get(tenantId) ?? new Map<string, boolean>();
      toCheck.set(tenantId, ofTenant.set(endpointId, ofTenant.get(endpointId) || hasFailed));
      timer ??= setTimeout(flush, CHECK_EVERY_MS).unref();
    },
    close: flush,
  };
}

/** Switches off an endpoint whose receiver responded with 410. */
export const switchOffGone = (ctx: Context, id: string): Promise<void> =>
  ctx.db.$transaction((tx) => switchOff(tx, ctx, id, 'gone'));

/** Notifies the admins that deliveries were given up, at most once a day per endpoint. */
export async function notifyOfParked(ctx: Context, id: string): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const notNotified = {
    OR: [{ failureToldAt: null }, { failureToldAt: { lt: new Date(now.getTime() - NOTIFY_INTERVAL) } }],
  };
  await ctx.db.$transaction(async (tx) => {
    const where = { tenantId, id, ...notNotified };
    const { count } = await tx.webhookEndpoint.updateMany({ where, data: { failureToldAt: now } });
    if (count > 0) await notifyAdmins(tx, ctx, id, 'webhooks_failing');
  });
}

async function switchOff(tx: Tx, ctx: Context, id: string, because: 'gone' | 'failing'): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const off = await tx.webhookEndpoint.updateMany({
    where: { tenantId, id, enabled: true },
    data: { enabled: false, offBecause: because, offAt: now, failureToldAt: now },
  });
  if (off.count === 0) return;
  const host = await notifyAdmins(tx, ctx, id, 'webhooks_off');
  await recordSwitchOff(tx, ctx, id, { because, host });
}

/** Records that an endpoint was switched off by the service, not by a request. */
export const recordSwitchOff = (
  tx: Tx,
  ctx: Context,
  id: string,
  details: { because: NonNullable<WebhookEndpointView['off_because']>; host: string },
): Promise<void> =>
  record(tx, ctx, { action: 'webhooks.switch_off', object: { type: 'WebhookEndpoint', id }, details });

async function notifyAdmins(tx: Tx, ctx: Context, id: string, kind: 'webhooks_off' | 'webhooks_failing') {
  const { tenantId } = ctx;
  const { url } = await tx.webhookEndpoint.findFirstOrThrow({ where: { tenantId, id } });
  const { host } = new URL(url);
  const admins = await tx.staffUser.findMany({
    where: { tenantId, role: 'admin', disabledAt: null, passwordHash: { not: null } },
  });
  const page = `${ctx.config.publicUrl}/settings/webhooks`;
  for (const { id: staffUserId, email } of admins)
    await sendMessage(tx, ctx, { kind, staffUserId, to: email, receiver: host, url: page });
  return host;
}
