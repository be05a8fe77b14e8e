import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Metadata, Subscription, SubscriptionItem } from '../objects.ts';
import { mergeMetadata } from '../resources/metadata.ts';
import { invalidRequest } from '../wire/errors.ts';
import { checkPrice, checkTogether } from './check-price.ts';

export interface ItemChange {
  id?: string;
  price?: string;
  quantity?: number;
  deleted?: boolean;
  metadata?: Metadata | null;
}

/**
 * Returns the items after these changes, without storing them.
 * @throws Refusal on invalid changes
 */
export function changedItems(ledger: Ledger, subscription: Subscription, changes: ItemChange[]): SubscriptionItem[] {
  const items = structuredClone(subscription._items);
  for (const [index, change] of changes.entries()) {
    const found = change.id ? items.findIndex(({ id }) => id === change.id) : -1;
    if (change.id && found < 0) {
      const message = `Invalid subscription item id: '${change.id}'`;
      throw invalidRequest(message, { code: 'resource_missing', param: `items[${index}][id]` });
    }
    if (change.price) checkPrice(ledger, change.price, `items[${index}][price]`);
    if (change.deleted && found >= 0) items.splice(found, 1);
    else if (found >= 0) writeItem(items[found]!, change);
    else items.push(newItem(ledger, subscription, change, index));
  }
  if (items.length === 0)
    throw invalidRequest('A subscription must have at least one active plan.', { param: 'items' });
  const twice = items.find(({ price }, index) => items.findIndex((other) => other.price === price) !== index);
  if (twice) {
    const message = `Cannot add multiple subscription items with the same plan: ${twice.price}`;
    throw invalidRequest(message, { param: 'items' });
  }
  checkTogether(items.map(({ price }) => ledger.data.objects.price[price]!));
  return items;
}

function writeItem(item: SubscriptionItem, { metadata, price, quantity }: ItemChange): void {
  item.price = price ?? item.price;
  item.quantity = quantity ?? item.quantity;
  item.metadata = mergeMetadata(item.metadata, metadata);
}

function newItem(ledger: Ledger, { customer }: Subscription, change: ItemChange, index: number): SubscriptionItem {
  const param = `items[${index}][price]`;
  if (!change.price) throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  return {
    id: newId('si'),
    created: ledger.now(customer),
    metadata: change.metadata ?? {},
    price: change.price,
    quantity: change.quantity ?? 1,
    billed: null,
  };
}
