import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';

/** What an application reads in a patient's name leaves an entry in the audit log. */
export async function auditRead(ctx: Context, action: string, objectId: string): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== 'patient' || actor.impersonatedBy === null) return;
  const { patientId } = actor;
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, { action, object: { type: 'Appointment', id: objectId }, patientId }),
  );
}
