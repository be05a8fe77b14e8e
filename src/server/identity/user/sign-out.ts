import type { Context } from '../../core/context.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { requireSession } from './require-patient.ts';

/** Ends this session, and no other. */
export async function signOut(ctx: Context): Promise<void> {
  const { sessionId } = requireSession(ctx);
  await ctx.db.$transaction((tx) => endSessions(tx, ctx, { id: sessionId }, 'signed_out'));
}
