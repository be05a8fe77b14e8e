import type { Services } from '../../core/context.ts';

/** A session that has not ended. */
export type OpenSession = { patientId: string; clientId: string; expiresAt: Date };

/**
 * Returns whether this app's session of this patient exists, has not ended and is within its 30 days. Cached for up to
 * one second.
 */
export async function isSessionLive(
  services: Services,
  { tenant_id, sid, sub, client_id }: { tenant_id: string; sid: string; sub: string; client_id: string },
): Promise<boolean> {
  const session = await services.identity.sessions.get(`${tenant_id}/${sid}`, () =>
    services.database.forTenant(tenant_id).patientSession.findUnique({
      where: { id: sid, endedAt: null },
      select: { patientId: true, clientId: true, expiresAt: true },
    }),
  );
  if (session?.patientId !== sub || session.clientId !== client_id) return false;
  return session.expiresAt > services.clock.now();
}

/** Invalidates the cached session in this process; other processes notice within a second. */
export function invalidateSession(services: Services, tenantId: string, sessionId: string): void {
  services.identity.sessions.invalidate(`${tenantId}/${sessionId}`);
}
