import type { Services } from '../../core/context.ts';
import { createOneSecondMemory } from '../../core/one-second-memory.ts';
import { perDatabase } from '../../core/per-database.ts';

const memoryOf = perDatabase(() => createOneSecondMemory<boolean>());

/** Whether the patient is there and not archived, as of at most a second ago. */
export function isPatientLive(services: Services, tenantId: string, patientId: string): Promise<boolean> {
  return memoryOf(services).get(`${tenantId}/${patientId}`, async () => {
    const where = { id: patientId, archivedAt: null };
    return (await services.database.forTenant(tenantId).patient.count({ where })) === 1;
  });
}
