import type { PatientSessionView } from '#contract/patient-sign-in.ts';
import type { PatientSession } from '#generated/prisma/client.ts';

export function presentSession(session: PatientSession, now: Date): PatientSessionView {
  const ended = session.endedAt ?? (session.expiresAt <= now ? session.expiresAt : null);
  return {
    id: session.id,
    device: session.userAgent,
    network: session.network,
    started_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ended_at: ended?.toISOString() ?? null,
    end_reason: session.endedAt ? (session.endReason as PatientSessionView['end_reason']) : ended && 'expired',
  };
}
