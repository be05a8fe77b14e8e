import type { CheckoutSession } from '../objects.ts';
import type { AccountData } from '../state.ts';
import { presentList, type Wire } from '../wire/present.ts';

/** The `line_items` of a Checkout Session; what is taken off is told on the whole session. */
export function lineItemsOf({ id, _items }: CheckoutSession, { objects }: AccountData): Wire {
  const items = _items.map(({ price: priceId, quantity }, index) => {
    const price = objects.price[priceId]!;
    const amount = price.unit_amount * quantity;
    return {
      id: `li_${index}${id.slice('cs_test_a1'.length, -33)}`,
      object: 'item',
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency: price.currency,
      description: objects.product[price.product]?.name ?? null,
      metadata: {},
      price: structuredClone(price),
      quantity,
    };
  });
  return presentList(`/v1/checkout/sessions/${id}/line_items`, items);
}
