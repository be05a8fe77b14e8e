import type { Database } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';

const CLINICS = 5;
const REQUESTS = 600;
/** Far more than the pool has connections, and few enough that the last caller gets one before the pool's timeout. */
const AT_ONCE = 150;

/** Creates five tenants with three patients each. @returns their ids */
export async function makeClinics(shared: Database): Promise<string[]> {
  const clinics = Array.from({ length: CLINICS }, () => newId());
  for (const id of clinics) {
    const db = shared.forTenant(id);
    await db.tenant.create({ data: { id, name: id, timeZone: 'UTC' } });
    await db.tenantRoute.create({ data: { key: `client:${id}`, tenantId: id } });
    for (let n = 0; n < 3; n += 1) await db.patient.create({ data: { id: newId(), tenantId: id, firstName: id } });
  }
  return clinics;
}

/** Every way in which the service queries; each reads all rows it can see. @returns the tenant ids of the rows */
const queriesOf = (shared: Database, clinics: string[]): ((id: string) => Promise<string[]>)[] => [
  async (id) => (await shared.forTenant(id).patient.findMany()).map((row) => row.tenantId),
  async (id) =>
    (await shared.forTenant(id).$queryRaw<{ tenant_id: string }[]>`select tenant_id from patients`).map(
      (row) => row.tenant_id,
    ),
  async (id) =>
    (
      await shared.forTenant(id).$query<{ tenant_id: string }>({ text: 'select tenant_id from patients', values: [] })
    ).map((row) => row.tenant_id),
  (id) =>
    shared.forTenant(id).$transaction(async (tx) => {
      const first = await tx.patient.findMany();
      const second = await tx.patient.findMany();
      return [...first, ...second].map((row) => row.tenantId);
    }),
  async (id) => {
    const tenantId = clinics.find((other) => other !== id)!;
    const created = shared.forTenant(id).$transaction((tx) => tx.patient.create({ data: { id: newId(), tenantId } }));
    return created.then(
      () => [tenantId],
      () => [],
    );
  },
  (id) => shared.tenantsOf(`client:${id}`),
  () =>
    shared.system.patient.findMany().then(
      () => ['no tenant'],
      () => [],
    ),
];

/**
 * N3: runs all queries concurrently over a few connections. @returns the rows of other tenants that were seen, and the
 * number of all rows
 */
export async function runConcurrentQueries(
  shared: Database,
  clinics: string[],
  requests = REQUESTS,
): Promise<{ leaks: string[]; seen: number }> {
  const queries = queriesOf(shared, clinics);
  const results: { id: string; rows: string[] }[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < requests) {
        const n = next++;
        const id = clinics[(n * 7) % clinics.length]!;
        results.push({ id, rows: await queries[n % queries.length]!(id).catch((error: Error) => [error.name]) });
      }
    }),
  );
  const leaks = results.flatMap(({ id, rows }) => rows.filter((of) => of !== id).map((of) => `${id} saw ${of}`));
  return { leaks, seen: results.flatMap(({ rows }) => rows).length };
}
