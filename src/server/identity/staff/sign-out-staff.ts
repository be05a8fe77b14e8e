import { contextFor, type Services } from '../../core/context.ts';
import { record } from '../../core/record.ts';
import { endStaffSessions } from './end-staff-sessions.ts';
import { type StaffSessionRef, staffActor } from './staff-actor.ts';

/** Ends the session that a cookie names; one that is over already stays so. */
export async function signOutStaff(services: Services, session: StaffSessionRef): Promise<void> {
  const actor = await staffActor(services, session);
  if (!actor) return;
  const ctx = contextFor(services, actor);
  await ctx.db.$transaction(async (tx) => {
    await endStaffSessions(tx, ctx, { id: session.sessionId }, 'signed_out');
    await record(tx, ctx, { action: 'account.sign_out', object: { type: 'StaffUser', id: session.userId } });
  });
}
