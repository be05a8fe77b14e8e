import type { ListCheckoutLinksInput, SentLinkView } from '#contract/checkout-links.ts';
import type { CheckoutLink } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import { loadPatientFor } from '#server/patients/index.ts';
import { openLink } from './live-link.ts';

/** As many as a page shows; older ones are purged with their rows. */
const SHOWN = 20;

/** Lists the payment links made for a patient in recent months, newest first, without their tokens. */
export async function listCheckoutLinks(ctx: Context, { patient_id }: ListCheckoutLinksInput): Promise<SentLinkView[]> {
  requireStaff(ctx.actor, 'subscriptions:read');
  const { db, tenantId } = ctx;
  const { id: patientId } = await loadPatientFor(ctx, patient_id);
  const links = await db.checkoutLink.findMany({
    where: { tenantId, patientId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: SHOWN,
  });
  const subscriptions = await db.subscription.findMany({
    where: { tenantId, id: { in: links.map((link) => link.subscriptionId) } },
    select: { id: true, name: true },
  });
  const staff = await db.staffUser.findMany({
    where: { tenantId, id: { in: links.flatMap(({ madeBy }) => (madeBy && isId(madeBy) ? [madeBy] : [])) } },
    select: { id: true, name: true },
  });
  const plans = new Map(subscriptions.map(({ id, name }) => [id, name]));
  const people = new Map(staff.map(({ id, name }) => [id, name]));
  return links.map((link) => ({
    id: link.id,
    subscription_id: link.subscriptionId,
    name: plans.get(link.subscriptionId) ?? null,
    created_at: link.createdAt.toISOString(),
    created_by: people.get(link.madeBy ?? '') ?? null,
    expires_at: link.expiresAt.toISOString(),
    sent_to: openLink(ctx, 'pay', link).sentTo,
    sent_at: link.sentAt?.toISOString() ?? null,
    state: stateOf(ctx, link),
    allow_promotion_codes: link.allowPromotionCodes,
  }));
}

function stateOf({ clock }: Context, { completedAt, endedAt, expiresAt, token }: CheckoutLink): SentLinkView['state'] {
  if (completedAt) return 'used';
  if (endedAt) return 'replaced';
  return token && expiresAt > clock.now() ? 'live' : 'over';
}
