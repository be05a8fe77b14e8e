import type { WebhookHealthInput, WebhookHealthView } from '#contract/webhooks.ts';
import { HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { loadEndpoint, requireWebhooks } from './endpoint.ts';

const SHOWN_HOURS = 24;
/** Start of the hour in which an attempt is counted. */
export const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR) * HOUR);

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
