import type { Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';

export type CreateTenantInput = {
  name: string;
  /** IANA name, e.g. `America/New_York`. */
  timeZone: string;
  invitesEnabled?: boolean;
};

/** Creates a tenant: its row, and the route by which jobs find all tenants. */
export async function createTenant(services: Services, input: CreateTenantInput): Promise<{ id: string }> {
  const now = services.clock.now();
  const id = newId(now);
  await services.database.forTenant(id).$transaction(async (tx) => {
    await tx.tenant.create({ data: { id, createdAt: now, ...input } });
    await tx.tenantRoute.create({ data: { key: 'tenants', tenantId: id } });
  });
  return { id };
}
