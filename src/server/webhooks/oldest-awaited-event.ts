import type { Services } from '#server/core/context.ts';
import { WEBHOOK_ROUTE } from './endpoint.ts';

/**
 * Returns the time of the oldest event that an endpoint of any tenant still waits for, or null. Endpoints that are off
 * are ignored: they may never be switched on again.
 */
export async function findOldestAwaitedEvent({ database }: Pick<Services, 'database'>): Promise<Date | null> {
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
