import { MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';

/** Entries a statement: one holds the chain's lock for some milliseconds. */
const BATCH = 500;

/** Whose chain could not be lengthened is left alone for so long, and said so in the log as often. */
const LEFT_ALONE_MS = MINUTE;

/**
 * Seals what has been committed since, one batch for each tenant so that none waits for another's thousands; tells how
 * many that were. Any number of processes may do so at once. A chain that cannot be lengthened stops no other: its
 * entries wait, and `verifyAudit` says what is wrong with it. `failed` remembers when that was, for who calls again.
 */
export async function sealAudit(
  { database, log }: Pick<Services, 'database' | 'log'>,
  failed = new Map<string, number>(),
): Promise<number> {
  const waiting = await database.system.$queryRaw<{ tenant: string }[]>`select audit_tenants_to_seal()::text as tenant`;
  let total = 0;
  for (const { tenant } of waiting) {
    if (performance.now() < (failed.get(tenant) ?? Number.NEGATIVE_INFINITY) + LEFT_ALONE_MS) continue;
    try {
      total += await sealTenant({ database }, tenant);
      failed.delete(tenant);
    } catch (error) {
      failed.set(tenant, performance.now());
      log.error({ tenantId: tenant, err: (error as Error).message }, 'the audit entries of a tenant were not sealed');
    }
  }
  return total;
}

/** One batch of one tenant's. */
export async function sealTenant({ database }: Pick<Services, 'database'>, tenantId: string): Promise<number> {
  const [row] = await database.system.$queryRaw<{ sealed: number }[]>`
    select seal_audit(${tenantId}::uuid, ${BATCH}::int) as sealed`;
  return row!.sealed;
}
