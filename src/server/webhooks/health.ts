import type { WebhookHealthInput, WebhookHealthView } from '#contract/webhooks.ts';
import { HOUR, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { loadEndpoint, requireWebhooks } from './endpoint.ts';
import { updateFailingSince } from './failing.ts';

const SHOWN_HOURS = 24;
/** Counts are written together: all senders of an endpoint share a row, and would wait for its lock. */
const WRITE_EVERY_MS = SECOND;

type Count = { endpoint_id: string; hour: string; delivered: number; failed: number };
/** The outcome of an attempt; `matters` when it may change whether the endpoint is failing. */
type AttemptOutcome = { isDelivered: boolean; matters: boolean };

const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR) * HOUR);

/**
 * Counts the attempts of this process by endpoint and hour, and updates the status of endpoints that had a failure or
 * were failing. After a crash, counts that were not written yet are missing in the chart; the deliveries themselves are
 * exact.
 */
export function createTally(services: Services) {
  const { database, clock, log } = services;
  let counts = new Map<string, Map<string, Count>>();
  /** Tenant -> endpoint -> true when an attempt failed. */
  let toUpdate = new Map<string, Map<string, boolean>>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function updateFailing(batch: typeof toUpdate): Promise<void> {
    for (const [tenantId, ofTenant] of batch)
      for (const [id, hasFailed] of ofTenant)
        await updateFailingSince(systemContext(services, tenantId, 'webhooks'), id, { hasFailed }).catch(
          (error: Error) =>
            log.warn({ tenantId, err: error.message }, 'could not determine whether a webhook endpoint is failing'),
        );
  }

  async function write(batch: typeof counts): Promise<void> {
    for (const [tenantId, ofTenant] of batch) {
      const rows = JSON.stringify([...ofTenant.values()]);
      // In the same order in all processes, to avoid deadlocks. An endpoint may have been deleted since.
      await database.forTenant(tenantId).$executeRaw`
        insert into webhook_hours (tenant_id, endpoint_id, hour, delivered, failed)
        select ${tenantId}::uuid, row.endpoint_id, row.hour, row.delivered, row.failed
        from jsonb_to_recordset(${rows}::jsonb) as row (endpoint_id uuid, hour timestamptz, delivered int, failed int)
        join webhook_endpoints as endpoint on endpoint.tenant_id = ${tenantId}::uuid and endpoint.id = row.endpoint_id
        order by row.endpoint_id, row.hour
        on conflict (tenant_id, endpoint_id, hour) do update
          set delivered = webhook_hours.delivered + excluded.delivered, failed = webhook_hours.failed + excluded.failed`;
    }
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    const [counted, suspected] = [counts, toUpdate];
    [counts, toUpdate] = [new Map(), new Map()];
    writing = writing
      .then(() => write(counted))
      .catch((error: Error) => log.warn({ err: error.message }, 'webhook attempts were not counted'))
      .then(() => updateFailing(suspected));
    return writing;
  }

  return {
    add(tenantId: string, endpoint_id: string, { isDelivered, matters }: AttemptOutcome): void {
      if (matters) {
        const ofEndpoints = toUpdate.get(tenantId) ?? new Map<string, boolean>();
        toUpdate.set(tenantId, ofEndpoints.set(endpoint_id, ofEndpoints.get(endpoint_id) || !isDelivered));
      }
      const hour = hourOf(clock.now()).toISOString();
      const ofTenant = counts.get(tenantId) ?? new Map<string, Count>();
      counts.set(tenantId, ofTenant);
      const key = `${endpoint_id} ${hour}`;
      const count = ofTenant.get(key) ?? { endpoint_id, hour, delivered: 0, failed: 0 };
      ofTenant.set(key, count);
      count[isDelivered ? 'delivered' : 'failed'] += 1;
      timer ??= setTimeout(flush, WRITE_EVERY_MS).unref();
    },
    close: flush,
  };
}

/** Returns the counts of one endpoint or all; endpoints without attempts are left out. */
export async function listHealth(ctx: Context, { id }: WebhookHealthInput): Promise<WebhookHealthView[]> {
  if (id) await loadEndpoint(ctx, id, 'webhooks:read');
  else requireWebhooks(ctx, 'webhooks:read', []);
  const last = hourOf(ctx.clock.now()).getTime();
  const firstHour = new Date(last - (SHOWN_HOURS - 1) * HOUR);
  const hourStarts = Array.from({ length: SHOWN_HOURS }, (_, n) => new Date(last - (SHOWN_HOURS - 1 - n) * HOUR));
  const rows = await ctx.db.webhookHour.findMany({
    where: { tenantId: ctx.tenantId, ...(id && { endpointId: id }), hour: { gte: firstHour } },
  });
  const sum = (of: typeof rows, field: 'delivered' | 'failed') => of.reduce((total, row) => total + row[field], 0);
  return [...new Set(rows.map(({ endpointId }) => endpointId))].map((endpoint_id) => {
    const own = rows.filter(({ endpointId }) => endpointId === endpoint_id);
    const byHour = new Map(own.map((row) => [row.hour.getTime(), row]));
    return {
      endpoint_id,
      delivered: sum(own, 'delivered'),
      failed: sum(own, 'failed'),
      hours: hourStarts.map((at) => {
        const { delivered = 0, failed = 0 } = byHour.get(at.getTime()) ?? {};
        return { at: at.toISOString(), delivered, failed };
      }),
    };
  });
}
