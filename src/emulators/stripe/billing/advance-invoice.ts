import type { Ledger } from '../ledger.ts';
import type { Invoice } from '../objects.ts';
import { collectInvoice } from './collect-invoice.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { voidInvoice } from './void-invoice.ts';

/**
 * Processes an invoice an hour after its draft: finalizes and
 * collects it, or follows the subscription's `pause_collection`.
 */
export function advanceInvoice(ledger: Ledger, invoice: Invoice): void {
  const behavior = ledger.data.objects.subscription[invoice._subscription]?.pause_collection?.behavior;
  if (behavior === 'keep_as_draft') {
    ledger.change('invoice.updated', invoice, () => {
      invoice.auto_advance = false;
      invoice.automatically_finalizes_at = null;
    });
    return;
  }
  finalizeInvoice(ledger, invoice);
  if (invoice.status !== 'open') return;
  if (behavior === 'void') voidInvoice(ledger, invoice);
  else if (behavior === 'mark_uncollectible') markUncollectible(ledger, invoice);
  else collectInvoice(ledger, invoice);
}

/** Marks an invoice as not expected to be paid; it can still be paid. */
export function markUncollectible(ledger: Ledger, invoice: Invoice): void {
  invoice.status = 'uncollectible';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.marked_uncollectible_at = ledger.now(invoice.customer);
  ledger.emit('invoice.marked_uncollectible', invoice);
}
