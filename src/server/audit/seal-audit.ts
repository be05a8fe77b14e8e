import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';

/** Entries per statement; one batch holds the chain's lock for some milliseconds. */
const BATCH = 500;

/**
 * Tenants to skip after a failure: briefly at first, as a connection may have been lost, then with increasing pauses.
 */
export type FailedTenants = Map<string, { waitMs: number; until: number }>;
const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = MINUTE;

/**
 * Seals the committed entries, one batch per tenant so that no tenant waits for another's thousands, and returns their
 * number. Safe to run concurrently. A broken chain does not stop the others: its entries wait, and `verifyAudit`
 * reports the fault.
 *
 * @param failed remembers failed tenants across calls
 */
export async function sealAudit(
  { database, log }: Pick<Services, 'database' | 'log'>,
  failed: FailedTenants = new Map(),
): Promise<number> {
  const waiting = await database.system.$queryRaw<{ tenant: string }[]>`select audit_tenants_to_seal()::text as tenant`;
  let total = 0;
  for (const { tenant } of waiting) {
    const previous = failed.get(tenant);
    if (previous && performance.now() < previous.until) continue;
    try {
      total += await sealTenant({ database }, tenant);
      failed.delete(tenant);
    } catch (error) {
      const waitMs = Math.min(previous ? 2 * previous.waitMs : FIRST_WAIT_MS, LONGEST_WAIT_MS);
      failed.set(tenant, { waitMs, until: performance.now() + waitMs });
      log.error({ tenantId: tenant, err: (error as Error).message }, 'the audit entries of a tenant were not sealed');
    }
  }
  return total;
}

/**
 * Seals one batch of a tenant's entries. Only the database function may write seals; the service's role may not.
 * @see prisma/sql/seal_audit.sql
 */
export async function sealTenant({ database }: Pick<Services, 'database'>, tenantId: string): Promise<number> {
  const [row] = await database.system.$queryRaw<[{ sealed: number }]>`
    select seal_audit(${tenantId}::uuid, ${BATCH}::int) as sealed`;
  return row.sealed;
}
