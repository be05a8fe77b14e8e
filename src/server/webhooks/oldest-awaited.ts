import type { Services } from '#server/core/context.ts';
import { WEBHOOK_ROUTE } from './endpoint.ts';

/**
 * When the oldest event happened that an endpoint still waits for, of any tenant; null where none does. An endpoint that
 * is switched off waits for nothing: nobody knows whether it comes back.
 */
export async function oldestAwaited({ database }: Pick<Services, 'database'>): Promise<Date | null> {
  let oldest: Date | null = null;
  for (const tenantId of await database.tenantsOf(WEBHOOK_ROUTE)) {
    const [row] = await database.forTenant(tenantId).$queryRaw<{ at: Date | null }[]>`
      select min(event_created_at) as at from event_numbers
      where tenant_id = ${tenantId}::uuid and sequence = (
        select min(least(position + 1, (
          select min(sequence) from webhook_deliveries
          where tenant_id = ${tenantId}::uuid and endpoint_id = endpoint.id and kind = 'live'
            and state in ('waiting', 'sending', 'held'))))
        from webhook_endpoints as endpoint where tenant_id = ${tenantId}::uuid and enabled)`;
    if (row?.at && (!oldest || row.at < oldest)) oldest = row.at;
  }
  return oldest;
}
