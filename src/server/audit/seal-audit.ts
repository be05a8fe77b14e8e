import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';

/** Entries a statement: one holds the chain's lock for some milliseconds. */
const BATCH = 500;

/** Whose chain could not be lengthened is left alone: shortly, for a connection may have been cut, then longer each time. */
export type LeftAlone = Map<string, { waitMs: number; until: number }>;
const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = MINUTE;

/**
 * Seals what has been committed since, one batch for each tenant so that none waits for another's thousands; tells how
 * many that were. Any number of processes may do so at once. A chain that cannot be lengthened stops no other: its
 * entries wait, and `verifyAudit` says what is wrong with it. `failed` remembers when that was, for who calls again.
 */
export async function sealAudit(
  { database, log }: Pick<Services, 'database' | 'log'>,
  failed: LeftAlone = new Map(),
): Promise<number> {
  const waiting = await database.system.$queryRaw<{ tenant: string }[]>`select audit_tenants_to_seal()::text as tenant`;
  let total = 0;
  for (const { tenant } of waiting) {
    const before = failed.get(tenant);
    if (before && performance.now() < before.until) continue;
    try {
      total += await sealTenant({ database }, tenant);
      failed.delete(tenant);
    } catch (error) {
      const waitMs = Math.min(before ? 2 * before.waitMs : FIRST_WAIT_MS, LONGEST_WAIT_MS);
      failed.set(tenant, { waitMs, until: performance.now() + waitMs });
      log.error({ tenantId: tenant, err: (error as Error).message }, 'the audit entries of a tenant were not sealed');
    }
  }
  return total;
}

/**
 * Seals one batch of a tenant's entries. Only the function may write seals, because the service's role has no right to.
 * @see prisma/sql/seal_audit.sql
 */
export async function sealTenant({ database }: Pick<Services, 'database'>, tenantId: string): Promise<number> {
  const [row] = await database.system.$queryRaw<{ sealed: number }[]>`
    select seal_audit(${tenantId}::uuid, ${BATCH}::int) as sealed`;
  return row!.sealed;
}
