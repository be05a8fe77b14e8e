import type { Context } from './context.ts';
import { record } from './record.ts';

/** Leaves an audit entry of a call that needs none unless somebody makes it for a patient (auth.md §5). */
export async function recordImpersonated(ctx: Context, action: string): Promise<void> {
  if (ctx.actor.kind !== 'patient' || !ctx.actor.impersonatedBy) return;
  const { patientId } = ctx.actor;
  await record(ctx.db, ctx, { action, object: { type: 'Patient', id: patientId }, patientId });
}
