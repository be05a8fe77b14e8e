import type { CheckoutSession, Invoice } from '../objects.ts';
import type { AccountData } from '../state.ts';
import { stored } from '../state.ts';
import { presentList, type Wire } from '../wire/present.ts';

/** Returns the discount on each line of an invoice, in minor units. */
export function lineDiscounts({ lines }: Invoice): number[] {
  const { data } = lines as { data: { discount_amounts: { amount: number }[] }[] };
  return data.map(({ discount_amounts }) => discount_amounts.reduce((sum, { amount }) => sum + amount, 0));
}

/** Renders the `line_items` of a Checkout Session, with the discounts of its first invoice. */
export function lineItemsOf({ id, _items, _line_discounts }: CheckoutSession, data: AccountData): Wire {
  const items = _items.map(({ price: priceId, quantity }, index) => {
    const price = stored(data, 'price', priceId);
    const amount = price.unit_amount * quantity;
    const discount = _line_discounts?.[index] ?? 0;
    return {
      id: `li_${index}${id.slice('cs_test_a1'.length, -33)}`,
      object: 'item',
      adjustable_quantity: null,
      amount_discount: discount,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount - discount,
      currency: price.currency,
      description: data.objects.product[price.product]?.name ?? null,
      metadata: {},
      price: structuredClone(price),
      quantity,
    };
  });
  return presentList(`/v1/checkout/sessions/${id}/line_items`, items);
}
