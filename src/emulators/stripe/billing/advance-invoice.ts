import type { Ledger } from '../ledger.ts';
import type { Invoice } from '../objects.ts';
import { collectInvoice } from './collect-invoice.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { voidInvoice } from './void-invoice.ts';

/** What an hour after its draft becomes of an invoice: final and collected, unless its subscription's collection is paused. */
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

/** Nobody expects it to be paid any more, though it still can be. */
export function markUncollectible(ledger: Ledger, invoice: Invoice): void {
  invoice.status = 'uncollectible';
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.marked_uncollectible_at = ledger.now(invoice.customer);
  ledger.emit('invoice.marked_uncollectible', invoice);
}
