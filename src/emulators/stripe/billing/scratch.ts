import { type Ledger, ledgerOn } from '../ledger.ts';
import type { Subscription } from '../objects.ts';

/**
 * Returns a ledger on copies of everything that billing one subscription (or a new one of
 * this customer) writes to. Operations on it emit no events and change nothing.
 */
export function scratchLedger(
  ledger: Ledger,
  { customer, subscription }: { customer?: string; subscription?: string },
) {
  const { objects } = ledger.data;
  const copies = <T>(collection: Record<string, T>, ids: (string | undefined)[]): Record<string, T> =>
    Object.fromEntries(
      ids.flatMap((id) => (id && collection[id] ? [[id, structuredClone(collection[id])] as const] : [])),
    );
  const original = objects.subscription[subscription ?? ''];
  const data = {
    ...ledger.data,
    objects: {
      ...objects,
      coupon: structuredClone(objects.coupon),
      customer: copies(objects.customer, [customer ?? original?.customer]),
      discount: structuredClone(objects.discount),
      event: {},
      // Copies only this subscription's invoices; others are only read for their payments.
      invoice: Object.fromEntries(
        Object.entries(objects.invoice).map(([id, invoice]) => [
          id,
          invoice._subscription === subscription ? structuredClone(invoice) : invoice,
        ]),
      ),
      payment_intent: {},
      promotion_code: structuredClone(objects.promotion_code),
      setup_intent: {},
      subscription: copies(objects.subscription, [subscription]),
    },
  };
  const scratch = ledgerOn(data, ledger, undefined, true);
  // Freezes the time, also for customers on a test clock.
  const at = ledger.now(original?.customer ?? customer);
  return {
    ledger: { ...scratch, now: () => at },
    at,
    copy: data.objects.subscription[subscription ?? ''] as Subscription,
  };
}
