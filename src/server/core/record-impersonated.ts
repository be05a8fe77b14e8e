import type { Context } from './context.ts';
import { record } from './record.ts';

/**
 * The one rule of recorded reads: what somebody does for a patient leaves an audit entry under both names, also where
 * nothing changes and the patient's own look leaves none (auth.md §5). It names the patient, unless one thing of theirs
 * was looked at.
 */
export async function recordImpersonated(
  ctx: Context,
  action: string,
  object?: { type: string; id: string },
): Promise<void> {
  if (ctx.actor.kind !== 'patient' || !ctx.actor.impersonatedBy) return;
  const { patientId } = ctx.actor;
  await record(ctx.db, ctx, { action, object: object ?? { type: 'Patient', id: patientId }, patientId });
}
