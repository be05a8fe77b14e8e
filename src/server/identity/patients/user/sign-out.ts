import type { Context } from '#server/core/context.ts';
import { recordImpersonated } from '#server/core/record-impersonated.ts';
import { endSessions } from '../../sessions/end-sessions.ts';
import { signsIn } from './require-changer.ts';
import { requirePatient, requireSession } from './require-patient.ts';

/** Ends this session, and no other. Who acts for a patient that does not sign in has none to end. */
export async function signOut(ctx: Context): Promise<void> {
  const { patientId, impersonatedBy } = requirePatient(ctx);
  if (impersonatedBy !== null && !(await signsIn(ctx.db, ctx, patientId)))
    return recordImpersonated(ctx, 'users.sign_out');
  const { sessionId } = requireSession(ctx);
  await ctx.db.$transaction((tx) => endSessions(tx, ctx, { id: sessionId }, 'signed_out'));
}
