import type { Services } from '#server/core/context.ts';

/** Entries a statement: one holds the chain's lock for some milliseconds. */
const BATCH = 500;

/**
 * Seals what has been committed since, one batch for each tenant so that none waits for another's thousands; tells how
 * many that were. Any number of processes may do so at once. A chain that cannot be lengthened is logged and stops no
 * other: its entries wait, and `verifyAudit` says what is wrong with it.
 */
export async function sealAudit({ database, log }: Pick<Services, 'database' | 'log'>): Promise<number> {
  const waiting = await database.system.$queryRaw<{ tenant: string }[]>`select audit_tenants_to_seal()::text as tenant`;
  let total = 0;
  for (const { tenant } of waiting)
    try {
      total += await sealTenant({ database }, tenant);
    } catch (error) {
      log.error({ tenantId: tenant, err: (error as Error).message }, 'the audit entries of a tenant were not sealed');
    }
  return total;
}

/** One batch of one tenant's. */
export async function sealTenant({ database }: Pick<Services, 'database'>, tenantId: string): Promise<number> {
  const [row] = await database.system.$queryRaw<{ sealed: number }[]>`
    select seal_audit(${tenantId}::uuid, ${BATCH}::int) as sealed`;
  return row!.sealed;
}
