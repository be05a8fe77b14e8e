import type { Finding } from '#contract/integrations.ts';
import { DAY, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { LinkTo } from './acuity-links.ts';

/** How long a webhook may take. */
const WAIT_MS = { production: 5 * MINUTE, sandbox: 30 * SECOND };
/** Inbound events are stored for longer than this. */
const LOOKED_BACK_MS = 7 * DAY;

/**
 * Reports that webhooks have stopped: a repair was needed, or the last appointment booked from here had no webhook in
 * time. `since` is when the current webhook was registered.
 */
export async function acuitySilence(
  ctx: Context,
  { accountId, since }: { accountId: string; since: Date },
  linkTo: LinkTo,
): Promise<Finding[]> {
  const { tenantId, db } = ctx;
  const isNoted =
    (await db.schedulingReconcile.count({ where: { tenantId, accountId, silentSince: { gt: since } } })) > 0;
  if (!isNoted && !(await isBookingUnheard(ctx, since))) return [];
  return [
    {
      code: 'webhooks_silent',
      message:
        'Acuity does not tell this service of changes at the moment: its webhooks do not arrive. Changes are looked for and seen late.',
      object: { type: 'Webhook', id: null, name: 'appointment.changed' },
      fix: 'See that this service can be reached from the internet under its public address; the webhook itself is registered again when it is missing.',
      link: linkTo('webhooks'),
    },
  ];
}

async function isBookingUnheard({ tenantId, db, clock, config }: Context, since: Date): Promise<boolean> {
  const now = clock.now().getTime();
  const from = new Date(Math.max(since.getTime(), now - LOOKED_BACK_MS));
  const last = await db.appointment.findFirst({
    where: {
      tenantId,
      asked: { not: null },
      providerAppointmentId: { not: null },
      createdAt: { gt: from, lte: new Date(now - WAIT_MS[config.environment]) },
    },
    orderBy: { createdAt: 'desc' },
    select: { createdAt: true },
  });
  if (!last) return false;
  const where = { tenantId, provider: 'acuity', receivedAt: { gte: last.createdAt } };
  return (await db.inboundEvent.findFirst({ where, select: { id: true } })) === null;
}
