import type { Services } from '../../core/context.ts';
import { createOneSecondMemory } from '../one-second-memory.ts';
import { perDatabase } from '../per-database.ts';

const memoryOf = perDatabase(() => createOneSecondMemory<Date | null>());

/** Whether a patient's session is there, not ended and within its 30 days, as of at most a second ago. */
export async function isSessionLive(services: Services, tenantId: string, sessionId: string): Promise<boolean> {
  const expiresAt = await memoryOf(services).get(`${tenantId}/${sessionId}`, async () => {
    const session = await services.database
      .forTenant(tenantId)
      .patientSession.findUnique({ where: { id: sessionId }, select: { expiresAt: true, endedAt: true } });
    return session && session.endedAt === null ? session.expiresAt : null;
  });
  return expiresAt !== null && expiresAt > services.clock.now();
}

/** After its end in this process; the others notice within a second. */
export function forgetSession(services: Services, tenantId: string, sessionId: string): void {
  memoryOf(services).forget(`${tenantId}/${sessionId}`);
}
