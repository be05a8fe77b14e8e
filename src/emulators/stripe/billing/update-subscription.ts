import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Invoice, Metadata, Subscription, SubscriptionItem } from '../objects.ts';
import { mergeMetadata } from '../resources/metadata.ts';
import { invalidRequest } from '../wire/errors.ts';
import { applyDiscounts, type DiscountInput } from './apply-discounts.ts';
import { nextBoundary } from './calendar.ts';
import { checkPrice, checkTogether } from './check-price.ts';
import { collectInvoice } from './collect-invoice.ts';
import { draftInvoice } from './draft-invoice.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { hasEnded } from './lifecycle.ts';
import { prorations } from './prorate.ts';
import { announceTrialEnd, endTrial } from './trial.ts';

export interface ItemChange {
  id?: string;
  price?: string;
  quantity?: number;
  deleted?: boolean;
  metadata?: Metadata | null;
}

export interface UpdateSubscriptionInput {
  cancel_at?: number | null;
  cancel_at_period_end?: boolean;
  cancellation_details?: { comment?: string | null; feedback?: string | null };
  default_payment_method?: string;
  description?: string | null;
  discounts?: DiscountInput[];
  items?: ItemChange[];
  metadata?: Metadata | null;
  missing_payment_method?: 'cancel' | 'pause' | 'create_invoice';
  proration_behavior?: 'always_invoice' | 'create_prorations' | 'none';
  save_default_payment_method?: 'on_subscription' | 'off';
  trial_end?: number | 'now';
}

/** Changes a subscription that has not ended. An incomplete one lets only its default method and its metadata change. */
export function updateSubscription(ledger: Ledger, subscription: Subscription, input: UpdateSubscriptionInput): void {
  if (hasEnded(subscription.status)) {
    if (Object.keys(input).every((key) => ['metadata', 'cancellation_details', 'expand'].includes(key))) return;
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (input.default_payment_method) checkOwned(ledger, subscription, input.default_payment_method);
  const items = input.items && changedItems(ledger, subscription, input.items);
  let invoices: (Invoice | undefined)[] = [];
  ledger.change('customer.subscription.updated', subscription, () => {
    writePlainFields(subscription, input);
    scheduleEnd(ledger, subscription, input);
    if (input.discounts)
      applyDiscounts(ledger, subscription, input.discounts, subtotalOf(ledger, items ?? subscription._items));
    invoices = [
      items && replaceItems(ledger, subscription, items, input.proration_behavior ?? 'create_prorations'),
      typeof input.trial_end === 'number' ? startTrial(ledger, subscription, input.trial_end) : undefined,
    ];
  });
  if (input.trial_end === 'now' && subscription.status === 'trialing')
    invoices.push(endTrial(ledger, subscription, false));
  for (const invoice of invoices) {
    if (!invoice) continue;
    finalizeInvoice(ledger, invoice);
    collectInvoice(ledger, invoice);
  }
  announceTrialEnd(ledger, subscription);
}

function checkOwned(ledger: Ledger, { customer }: Subscription, method: string): void {
  if (ledger.find('payment_method', method, 'default_payment_method').customer === customer) return;
  const message = `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`;
  throw invalidRequest(message, { param: 'default_payment_method' });
}

function writePlainFields(subscription: Subscription, input: UpdateSubscriptionInput): void {
  subscription.metadata = mergeMetadata(subscription.metadata, input.metadata);
  subscription.default_payment_method = input.default_payment_method ?? subscription.default_payment_method;
  if (input.description !== undefined) subscription.description = input.description;
  if (input.save_default_payment_method)
    subscription.payment_settings.save_default_payment_method = input.save_default_payment_method;
  if (input.missing_payment_method)
    subscription.trial_settings.end_behavior.missing_payment_method = input.missing_payment_method;
  Object.assign(subscription.cancellation_details, input.cancellation_details);
}

function scheduleEnd(
  ledger: Ledger,
  subscription: Subscription,
  { cancel_at, cancel_at_period_end }: UpdateSubscriptionInput,
): void {
  if (cancel_at === undefined && cancel_at_period_end === undefined) return;
  if (cancel_at && cancel_at_period_end) {
    throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
  }
  const now = ledger.now(subscription.customer);
  if (cancel_at && cancel_at <= now)
    throw invalidRequest('The subscription `cancel_at` must be in the future.', { param: 'cancel_at' });
  const wanted = cancel_at_period_end ? subscription._period.end : cancel_at;
  subscription.cancel_at_period_end = cancel_at_period_end ?? false;
  subscription.cancel_at = wanted ?? null;
  subscription.canceled_at = wanted ? now : null;
  subscription.cancellation_details.reason = wanted ? 'cancellation_requested' : null;
}

function changedItems(ledger: Ledger, subscription: Subscription, changes: ItemChange[]): SubscriptionItem[] {
  const items = structuredClone(subscription._items);
  for (const [index, change] of changes.entries()) {
    const found = items.findIndex(({ id }) => id === change.id);
    if (change.id && found < 0) {
      const message = `Invalid subscription item id: '${change.id}'`;
      throw invalidRequest(message, { code: 'resource_missing', param: `items[${index}][id]` });
    }
    if (change.price) checkPrice(ledger, change.price, `items[${index}][price]`);
    if (change.deleted) {
      items.splice(found, 1);
    } else if (found >= 0) {
      const item = items[found]!;
      item.price = change.price ?? item.price;
      item.quantity = change.quantity ?? item.quantity;
      item.metadata = mergeMetadata(item.metadata, change.metadata);
    } else {
      if (!change.price)
        throw invalidRequest(`Missing required param: items[${index}][price].`, {
          code: 'parameter_missing',
          param: `items[${index}][price]`,
        });
      const created = ledger.now(subscription.customer);
      items.push({
        id: newId('si'),
        created,
        metadata: change.metadata ?? {},
        price: change.price,
        quantity: change.quantity ?? 1,
      });
    }
  }
  if (items.length === 0)
    throw invalidRequest('A subscription must have at least one active plan.', { param: 'items' });
  checkTogether(items.map(({ price }) => ledger.data.objects.price[price]!));
  return items;
}

/** Puts the new items in place; another interval starts a new period at once. Returns the invoice to collect now, if any. */
function replaceItems(
  ledger: Ledger,
  subscription: Subscription,
  items: SubscriptionItem[],
  behavior: 'always_invoice' | 'create_prorations' | 'none',
): Invoice | undefined {
  const now = ledger.now(subscription.customer);
  const before = ledger.data.objects.price[subscription._items[0]!.price]!.recurring!;
  const after = ledger.data.objects.price[items[0]!.price]!.recurring!;
  const newInterval = before.interval !== after.interval || before.interval_count !== after.interval_count;
  const billed = subscription.status !== 'trialing' && subscription.status !== 'incomplete';
  if (billed && behavior !== 'none') {
    subscription._pending_lines.push(...prorations(ledger, subscription, newInterval ? [] : items, now));
  }
  subscription._items = items;
  if (!billed) return undefined;
  if (newInterval) {
    subscription.billing_cycle_anchor = now;
    subscription._period = { start: now, end: nextBoundary(now, after.interval, after.interval_count, now) };
    if (subscription.cancel_at_period_end) subscription.cancel_at = subscription._period.end;
    return draftInvoice(ledger, subscription, { reason: 'subscription_update' });
  }
  if (behavior !== 'always_invoice' || subscription._pending_lines.length === 0) return undefined;
  return draftInvoice(ledger, subscription, { reason: 'subscription_update', pendingOnly: true });
}

function startTrial(ledger: Ledger, subscription: Subscription, trialEnd: number): Invoice {
  const now = ledger.now(subscription.customer);
  if (trialEnd <= now) throw invalidRequest('The trial end date has to be in the future.', { param: 'trial_end' });
  subscription.status = 'trialing';
  subscription.trial_start = now;
  subscription.trial_end = trialEnd;
  subscription.billing_cycle_anchor = trialEnd;
  subscription._period = { start: now, end: trialEnd };
  subscription._trial_end_announced = false;
  return draftInvoice(ledger, subscription, { reason: 'subscription_update', trial: true });
}

function subtotalOf(ledger: Ledger, items: SubscriptionItem[]): number {
  return items.reduce((sum, { price, quantity }) => sum + ledger.data.objects.price[price]!.unit_amount * quantity, 0);
}
