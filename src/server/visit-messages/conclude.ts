import type { VisitMessage } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { lostBefore } from './claim.ts';
import { type Outcome, pauseAfter } from './outcome.ts';
import { presentMessage } from './present-message.ts';

/**
 * Stores the outcome of an attempt and records its event. A message that was certainly not sent is due again later, as
 * long as the appointment has not started.
 */
export async function conclude(ctx: Context, row: VisitMessage, outcome: Outcome): Promise<void> {
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    const data = dataOf(row, outcome, now);
    // Also corrects a message that was given up as unknown before its outcome arrived.
    const ours = { tenantId, id: row.id, tries: row.tries };
    const { count } = await tx.visitMessage.updateMany({
      where: { ...ours, OR: [{ state: 'sending' }, { state: 'failed', why: 'unknown' }] },
      data: { ...data, updatedAt: now },
    });
    if (count === 0 || data.state === 'planned') return;
    const after = await tx.visitMessage.findFirstOrThrow({ where: { tenantId, id: row.id } });
    const isSent = data.state === 'sent';
    await record(tx, ctx, {
      action: isSent ? 'visit_messages.sent' : 'visit_messages.failed',
      object: { type: 'Message', id: row.id },
      patientId: row.patientId,
      event: isSent ? 'message.sent' : 'message.failed',
      payload: presentMessage(after),
      details: { kind: row.kind, channel: row.channel, ...(after.why && { why: after.why }) },
      isNews: true,
    });
  });
}

function dataOf(row: VisitMessage, outcome: Outcome, now: Date) {
  if (outcome.became === 'sent') return { state: 'sent', why: null, sentAt: now };
  if (outcome.became === 'failed') return { state: 'failed', why: outcome.why };
  const pause = pauseAfter(row.tries);
  const dueAt = pause === null ? null : new Date(now.getTime() + pause);
  return dueAt && dueAt < row.startAt ? { state: 'planned', why: null, dueAt } : { state: 'failed', why: 'away' };
}

/**
 * Gives up messages whose process ended during delivery: the outcome is unknown, so they are not sent again
 * automatically.
 */
export async function giveUpLost(ctx: Context): Promise<void> {
  const lost = await ctx.db.visitMessage.findMany({
    where: { tenantId: ctx.tenantId, state: 'sending', claimedAt: { lt: lostBefore(ctx.clock.now()) } },
    take: 100,
  });
  // A delivery report may have arrived in the meantime.
  for (const row of lost)
    await conclude(ctx, row, row.delivery ? { became: 'sent' } : { became: 'failed', why: 'unknown' });
}
