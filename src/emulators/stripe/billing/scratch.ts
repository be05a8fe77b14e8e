import { type Ledger, ledgerOn } from '../ledger.ts';
import type { Subscription } from '../objects.ts';

/**
 * A ledger on copies of whatever billing one subscription (or a new one of this customer) writes to: what is done on it is
 * seen by nobody and changes nothing.
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
      // Only its own: those of others are read for what they have paid.
      invoice: Object.fromEntries(
        Object.entries(objects.invoice).map(([id, one]) => [
          id,
          one._subscription === subscription ? structuredClone(one) : one,
        ]),
      ),
      payment_intent: {},
      promotion_code: structuredClone(objects.promotion_code),
      setup_intent: {},
      subscription: copies(objects.subscription, [subscription]),
    },
  };
  const scratch = ledgerOn(data, ledger, undefined, true);
  // The moment stands still, also for what a customer's own clock would tell.
  const at = ledger.now(original?.customer ?? customer);
  return {
    ledger: { ...scratch, now: () => at },
    at,
    copy: data.objects.subscription[subscription ?? ''] as Subscription,
  };
}
