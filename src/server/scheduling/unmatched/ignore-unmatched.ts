import type { UnmatchedAppointmentView, UnmatchedIdInput } from '#contract/unmatched.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { lockUnmatched } from '#server/scheduling/unmatched/unmatched.ts';
import { presentWithProposals } from './list-unmatched.ts';

/** Hides an unmatched booking from the default list; it still holds its slot. Idempotent. */
export const ignoreUnmatched = (ctx: Context, input: UnmatchedIdInput): Promise<UnmatchedAppointmentView> =>
  mark(ctx, input, true);

/** Returns an ignored booking to the default list. */
export const restoreUnmatched = (ctx: Context, input: UnmatchedIdInput): Promise<UnmatchedAppointmentView> =>
  mark(ctx, input, false);

async function mark(ctx: Context, { id }: UnmatchedIdInput, ignored: boolean): Promise<UnmatchedAppointmentView> {
  requireAdmin(ctx.actor, 'unmatched:write');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const row = await lockUnmatched(tx, tenantId, id);
    if (!row) throw notFound('unmatched appointment');
    if (Boolean(row.ignoredAt) === ignored) return presentWithProposals(ctx, row);
    const now = ctx.clock.now();
    const after = await tx.unmatchedAppointment.update({
      where: { tenantId_id: { tenantId, id } },
      data: { ignoredAt: ignored ? now : null, version: { increment: 1 }, updatedAt: now },
    });
    const view = await presentWithProposals(ctx, after);
    await record(tx, ctx, {
      action: ignored ? 'appointments.ignore_unmatched' : 'appointments.restore_unmatched',
      object: { type: 'Appointment', id },
      payload: view,
    });
    return view;
  });
}
