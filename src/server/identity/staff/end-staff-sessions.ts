import { type Context, contextFor, type Services } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { record } from '../../core/record.ts';
import { invalidateStaffSession, type StaffSessionRef, staffActor } from './staff-actor.ts';

type Reason = 'signed_out' | 'password_changed' | 'role_changed' | 'disabled' | 'two_step_changed';
/** One session, all sessions of a user, or all but one. */
type SessionSelector = { id: string } | { userId: string; except?: string | undefined };

/** Ends portal sessions permanently: a cookie of such a session, and every copy of it, is rejected within a second. */
export async function endStaffSessions(tx: Tx, ctx: Context, selector: SessionSelector, reason: Reason): Promise<void> {
  const filter =
    'id' in selector
      ? { id: selector.id }
      : { userId: selector.userId, ...(selector.except && { id: { not: selector.except } }) };
  const ended = await tx.staffSession.updateManyAndReturn({
    where: { tenantId: ctx.tenantId, endedAt: null, ...filter },
    data: { endedAt: ctx.clock.now(), endReason: reason },
    select: { id: true, userId: true },
  });
  for (const { id, userId } of ended) invalidateStaffSession(ctx, { tenantId: ctx.tenantId, userId, sessionId: id });
}

/** Ends the session of a cookie; does nothing if it has already ended. */
export async function signOutStaff(services: Services, session: StaffSessionRef): Promise<void> {
  const actor = await staffActor(services, session);
  if (!actor) return;
  const ctx = contextFor(services, actor);
  await ctx.db.$transaction(async (tx) => {
    await endStaffSessions(tx, ctx, { id: session.sessionId }, 'signed_out');
    await record(tx, ctx, { action: 'account.sign_out', object: { type: 'StaffUser', id: session.userId } });
  });
}
