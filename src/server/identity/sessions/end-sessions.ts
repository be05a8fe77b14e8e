import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { record } from '../../core/record.ts';
import { invalidateSession } from './is-session-live.ts';

type Reason =
  | 'signed_out'
  | 'revoked'
  | 'refresh_token_reused'
  | 'password_changed'
  | 'archived'
  | 'change_undone'
  | 'helped';
/** One session, all sessions of a patient, all but one, or those that one request started. */
type SessionSelector =
  | { id: string }
  | { patientId: string }
  | { patientId: string; except: string }
  | { patientId: string; begunFor: string };

/** Ends live sessions permanently: access tokens are rejected within a second, refresh tokens immediately. */
export async function endSessions(tx: Tx, ctx: Context, selector: SessionSelector, reason: Reason): Promise<void> {
  const filter = 'except' in selector ? { patientId: selector.patientId, id: { not: selector.except } } : selector;
  const ended = await tx.patientSession.updateManyAndReturn({
    where: { tenantId: ctx.tenantId, endedAt: null, ...filter },
    data: { endedAt: ctx.clock.now(), endReason: reason },
    select: { id: true, patientId: true },
  });
  await tx.refreshToken.deleteMany({
    where: { tenantId: ctx.tenantId, sessionId: { in: ended.map((session) => session.id) } },
  });
  for (const { id, patientId } of ended) {
    await record(tx, ctx, {
      action: 'sessions.end',
      object: { type: 'Session', id },
      patientId,
      details: { reason },
    });
    invalidateSession(ctx, ctx.tenantId, id);
  }
}
