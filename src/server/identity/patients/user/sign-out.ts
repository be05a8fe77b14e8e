import type { Context } from '#server/core/context.ts';
import { recordAccess } from '#server/core/record-access.ts';
import { endSessions } from '../../sessions/end-sessions.ts';
import { requirePatient, requireSession, signsIn } from './authorize.ts';

/** Ends this session only. An application that acts for a patient who does not sign in has none to end. */
export async function signOut(ctx: Context): Promise<void> {
  const { patientId, impersonatedBy } = requirePatient(ctx);
  if (impersonatedBy !== null && !(await signsIn(ctx.db, ctx, patientId)))
    return recordAccess(ctx, {
      action: 'users.sign_out',
      object: { type: 'Patient', id: patientId },
      patients: [patientId],
    });
  const { sessionId } = requireSession(ctx);
  await ctx.db.$transaction((tx) => endSessions(tx, ctx, { id: sessionId }, 'signed_out'));
}
