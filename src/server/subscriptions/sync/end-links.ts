import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type Facts, hasEnded, nextActionOf } from '../records/subscription.ts';

/** What a patient is asked for on the page of a payment link: how much, for what, and how often. */
function termsOf(row: Subscription): string {
  const invoice = row.latestInvoice as Facts['latestInvoice'];
  const items = (row.items as Facts['items']).map(({ price_id, quantity }) => [price_id, quantity]);
  const { currency, billingPeriod, billingInterval } = row;
  const price = row.planPrice === null ? null : Number(row.planPrice);
  return JSON.stringify([items, price, currency, billingPeriod, billingInterval, invoice?.id, invoice?.amount_due]);
}

/**
 * Ends payment links with what they were made for, in the transaction that writes the change. Once that is paid or saved,
 * or cannot be any more, a link tells only how it went, and nothing that opens it is kept; with other terms it opens
 * nothing, so that nobody agrees to another sum than they were sent.
 */
export async function endLinks(tx: Tx, ctx: Context, before: Subscription, after: Subscription): Promise<void> {
  const now = ctx.clock.now();
  const where = { tenantId: ctx.tenantId, subscriptionId: after.id, endedAt: null, completedAt: null };
  if (hasEnded(after)) await tx.checkoutLink.updateMany({ where, data: { token: null } });
  else if (nextActionOf(after) === 'none' && ['active', 'trialing'].includes(after.status))
    await tx.checkoutLink.updateMany({ where, data: { token: null, completedAt: now } });
  else if (termsOf(before) !== termsOf(after))
    await tx.checkoutLink.updateMany({ where, data: { token: null, endedAt: now } });
}
