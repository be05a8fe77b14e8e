import type { PreviewSubscriptionInput, SubscriptionPreviewView } from '#contract/subscription-changes.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { assertNoDuplicate, inQuery } from '#server/plans/index.ts';
import type { InvoicePreview } from '#server/providers/stripe-shapes.ts';
import { hasEnded, loadSubscription } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { assertChangeable, findAddedPrices, planItemChanges, prorationOf, throwChangeError } from './plan-change.ts';

/**
 * Previews what `updateSubscription` with the same prices costs, to the cent, as calculated by Stripe. With the
 * returned `proration_date`, the change costs exactly that. Changes nothing.
 */
export async function previewChange(ctx: Context, input: PreviewSubscriptionInput): Promise<SubscriptionPreviewView> {
  requireScope(ctx.actor, 'subscriptions:read');
  const stored = await loadSubscription(ctx, input.id);
  if (hasEnded(stored)) assertChangeable(stored);
  const { row, live } = await syncSubscription(ctx, stored.id);
  const items = await planItemChanges(ctx, row, input, inQuery);
  assertChangeable(row);
  if (!input.allow_duplicate) await assertNoDuplicate(ctx.db, ctx, await findAddedPrices(ctx, row, items), inQuery);
  const proration = await prorationOf(ctx, input.proration);
  const requestedDate = input.proration_date ? new Date(input.proration_date) : null;
  const requestPreview = (prorationMode: typeof proration, prorationDate: Date | null, mode?: 'recurring') =>
    ctx.providers
      .stripeClient(ctx)
      .changes.preview(row.accountId, row.id, { items, proration: prorationMode, prorationDate, undo: null }, mode)
      .catch((error: unknown) => throwChangeError(error, inQuery));
  const invoice = await requestPreview(proration, requestedDate);
  /**
   * A change of the billing interval starts a new period immediately; the next bill is for a whole period, at its end.
   */
  const afterNewPeriod = async (now: typeof invoice) => {
    const fullBill = await requestPreview('none', null, 'recurring');
    const ends = now?.lines.data.filter((line) => !isProration(line)).map(({ period }) => period.end.getTime()) ?? [];
    return fullBill && ends.length > 0 ? billOf(fullBill, new Date(Math.max(...ends))) : null;
  };

  const lines = (invoice?.lines.data ?? []).map((line) => ({
    description: line.description ?? null,
    amount: line.amount,
    proration: isProration(line),
    period_start: line.period.start.toISOString(),
    period_end: line.period.end.toISOString(),
  }));
  const prorations = lines.filter((line) => line.proration);
  // An invoice billed immediately is dated now, any other at the end of the period.
  const isDueNow = invoice !== null && (!live || invoice.created < live.currentPeriodEnd);
  const next = isDueNow && !row.cancelAt ? await requestPreview('none', null) : isDueNow ? null : invoice;
  const isInCurrentPeriod = next !== null && live !== null && next.created < live.currentPeriodEnd;
  const nextBill = isInCurrentPeriod ? await afterNewPeriod(invoice) : next && live && billOf(next, next.created);
  return {
    subscription_id: row.id,
    patient_id: row.patientId,
    price_ids: input.price_ids,
    quantities: input.price_ids.map((_, n) => input.quantities?.[n] ?? 1),
    proration,
    proration_date: requestedDate?.toISOString() ?? prorations[0]?.period_start ?? ctx.clock.now().toISOString(),
    currency: invoice?.currency ?? row.currency,
    due_now: isDueNow ? invoice.amount_due : 0,
    proration_amount: prorations.reduce((sum, { amount }) => sum + amount, 0),
    next_invoice: nextBill,
    lines,
  };
}

const isProration = ({ parent }: InvoicePreview['lines']['data'][number]): boolean =>
  !!(parent?.subscription_item_details?.proration || parent?.invoice_item_details?.proration);

const billOf = (bill: InvoicePreview, at: Date) => ({
  date: at.toISOString(),
  amount_due: bill.amount_due,
  subtotal: bill.subtotal,
  discount: bill.total_discount_amounts,
  tax: bill.total_taxes,
});
