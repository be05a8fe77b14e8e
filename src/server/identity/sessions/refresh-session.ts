import { SECOND } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import { asPatient } from '../verification/request-context.ts';
import { type BegunSession, nextRefreshToken } from './begin-session.ts';
import { endSessions } from './end-sessions.ts';

/** Covers browser tabs and repeated requests that lose a race. */
const RACE_GRACE = 30 * SECOND;

/**
 * Exchanges a refresh token for its successor; null if the token is not valid. A second use within 30 seconds, before
 * the successor was used, returns the same successor. A later use means that the token was copied, so the session ends.
 */
export async function refreshSession(ctx: Context, clientId: string, token: string): Promise<BegunSession | null> {
  const { tenantId } = ctx;
  const hash = sha256(token);
  const refreshToken = nextRefreshToken(ctx, token);
  return ctx.db.$transaction(async (tx) => {
    const [session] = await tx.$queryRaw<{ id: string }[]>`
      select s.id from patient_sessions s join refresh_tokens t on t.tenant_id = s.tenant_id and t.session_id = s.id
      where t.tenant_id = ${tenantId}::uuid and t.hash = ${hash} for update of s`;
    if (!session) return null;
    const storedToken = await tx.refreshToken.findUnique({
      where: { tenantId_hash: { tenantId, hash } },
      include: { session: { include: { patient: { select: { archivedAt: true } } } } },
    });
    const now = ctx.clock.now();
    if (
      !storedToken ||
      storedToken.session.clientId !== clientId ||
      storedToken.session.endedAt ||
      storedToken.session.expiresAt <= now
    )
      return null;
    const { patientId, expiresAt, patient } = storedToken.session;
    const patientCtx = asPatient(ctx, patientId, clientId);
    if (patient.archivedAt) {
      await endSessions(tx, patientCtx, { id: session.id }, 'archived');
      return null;
    }
    const successor = { tenantId_hash: { tenantId, hash: sha256(refreshToken) } };
    if (storedToken.usedAt) {
      const next = await tx.refreshToken.findUnique({ where: successor });
      if (now.getTime() - storedToken.usedAt.getTime() > RACE_GRACE || !next || next.usedAt) {
        await endSessions(tx, patientCtx, { id: session.id }, 'refresh_token_reused');
        return null;
      }
    } else {
      await tx.refreshToken.update({ where: { tenantId_hash: { tenantId, hash } }, data: { usedAt: now } });
      await tx.refreshToken.create({
        data: { tenantId, hash: successor.tenantId_hash.hash, sessionId: session.id, createdAt: now },
      });
      await tx.patientSession.update({ where: { id: session.id }, data: { lastUsedAt: now } });
    }
    return { sessionId: session.id, patientId, clientId, refreshToken, expiresAt, device: null };
  });
}
