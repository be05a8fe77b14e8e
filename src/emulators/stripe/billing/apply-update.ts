import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Invoice, Metadata, Subscription, SubscriptionItem } from '../objects.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { mergeMetadata } from '../wire/params.ts';
import { DAY } from './calendar.ts';
import { checkOwned } from './check-payable.ts';
import { checkPrice, checkTogether } from './check-price.ts';
import { applyDiscounts, type DiscountInput } from './discounts.ts';
import { draftInvoice } from './draft-invoice.ts';
import { changesInterval, lastEnd, placeItems, sharePeriod, startPeriods } from './periods.ts';
import { prorations } from './prorate.ts';

export interface UpdateSubscriptionInput {
  billing_cycle_anchor?: 'now' | 'unchanged';
  cancel_at?: number | 'min_period_end' | 'max_period_end' | 'max_billed_until' | null;
  cancel_at_period_end?: boolean;
  cancellation_details?: { comment?: string | null; feedback?: string | null };
  default_payment_method?: string | null;
  description?: string | null;
  discounts?: DiscountInput[];
  items?: ItemChange[];
  metadata?: Metadata | null;
  missing_payment_method?: 'cancel' | 'pause' | 'create_invoice';
  pause_collection?: { behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'; resumes_at?: number } | null;
  payment_behavior?: 'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete' | 'pending_if_incomplete';
  proration_behavior?: 'always_invoice' | 'create_prorations' | 'none';
  proration_date?: number;
  save_default_payment_method?: 'on_subscription' | 'off';
  trial_end?: number | 'now';
  trial_end_anchor?: 'now' | 'unchanged';
}

/** Two years, the limit of `trial_period_days`. */
const MAX_TRIAL = 730 * DAY;

/**
 * Applies a change to a subscription, except the end of its trial.
 * @returns the draft invoice that the change requires, if any
 */
export function applyUpdate(
  ledger: Ledger,
  subscription: Subscription,
  input: UpdateSubscriptionInput,
): Invoice | undefined {
  if (input.default_payment_method) checkOwned(ledger, input.default_payment_method, subscription.customer);
  const items = input.items ? changedItems(ledger, subscription, input.items) : subscription._items;
  const at = prorationDate(ledger, subscription, input);
  let invoice: Invoice | undefined;
  ledger.change('customer.subscription.updated', subscription, () => {
    writePlainFields(ledger, subscription, input);
    scheduleEnd(ledger, subscription, input);
    if (input.discounts) applyDiscounts(ledger, subscription, input.discounts, subtotalOf(ledger, items));
    if (typeof input.trial_end === 'number') invoice = startTrial(ledger, subscription, items, at, input);
    else if (input.items || input.billing_cycle_anchor === 'now')
      invoice = replaceItems(ledger, subscription, items, at, input);
  });
  return invoice;
}

function prorationDate(ledger: Ledger, { customer, _period }: Subscription, input: UpdateSubscriptionInput): number {
  const at = input.proration_date ?? ledger.now(customer);
  if (input.proration_date !== undefined && (at < _period.start || at > _period.end)) {
    const message = `Invalid \`proration_date\`: must be within the current period of the subscription (${_period.start} to ${_period.end}).`;
    throw invalidRequest(message, { param: 'proration_date' });
  }
  return at;
}

function writePlainFields(ledger: Ledger, subscription: Subscription, input: UpdateSubscriptionInput): void {
  const { end_behavior } = subscription.trial_settings;
  subscription.metadata = mergeMetadata(subscription.metadata, input.metadata);
  if (input.default_payment_method !== undefined) subscription.default_payment_method = input.default_payment_method;
  if (input.description !== undefined) subscription.description = input.description;
  if (input.save_default_payment_method)
    subscription.payment_settings.save_default_payment_method = input.save_default_payment_method;
  end_behavior.missing_payment_method = input.missing_payment_method ?? end_behavior.missing_payment_method;
  end_behavior.billing_cycle_anchor = input.trial_end_anchor ?? end_behavior.billing_cycle_anchor ?? null;
  Object.assign(subscription.cancellation_details, input.cancellation_details);
  const { pause_collection: pause } = input;
  if (pause === undefined) return;
  if (pause?.resumes_at && pause.resumes_at <= ledger.now(subscription.customer))
    throw invalidRequest('`resumes_at` must be in the future.', { param: 'pause_collection[resumes_at]' });
  subscription.pause_collection = pause && { behavior: pause.behavior, resumes_at: pause.resumes_at ?? null };
}

function scheduleEnd(ledger: Ledger, subscription: Subscription, input: UpdateSubscriptionInput): void {
  const { cancel_at_period_end } = input;
  const cancel_at = typeof input.cancel_at === 'string' ? endNamed(subscription, input.cancel_at) : input.cancel_at;
  if (cancel_at === undefined && cancel_at_period_end === undefined) return;
  if (cancel_at && cancel_at_period_end) {
    throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
  }
  const now = ledger.now(subscription.customer);
  if (cancel_at && cancel_at <= now)
    throw invalidRequest('The subscription `cancel_at` must be in the future.', { param: 'cancel_at' });
  const endAt = cancel_at_period_end ? subscription._period.end : cancel_at;
  subscription.cancel_at_period_end = cancel_at_period_end ?? false;
  subscription.cancel_at = endAt ?? null;
  subscription.canceled_at = endAt ? now : null;
  subscription.cancellation_details.reason = endAt ? 'cancellation_requested' : null;
}

function endNamed(subscription: Subscription, name: 'min_period_end' | 'max_period_end' | 'max_billed_until'): number {
  if (name === 'min_period_end') return subscription._period.end;
  if (name === 'max_period_end') return lastEnd(subscription);
  const billed = subscription._items.flatMap((item) => item.billed?.end ?? []);
  return billed.length > 0 ? Math.max(...billed) : lastEnd(subscription);
}

/** Returns true when the current items have been billed, so that a change of them is prorated. */
export function isBilled({ status }: Subscription): boolean {
  return status === 'active' || status === 'past_due' || status === 'unpaid';
}

/** Replaces the items. A new period starts at once only when the intervals change or the anchor moves. */
function replaceItems(
  ledger: Ledger,
  subscription: Subscription,
  items: SubscriptionItem[],
  at: number,
  { billing_cycle_anchor, proration_behavior: behavior = 'create_prorations' }: UpdateSubscriptionInput,
): Invoice | undefined {
  const now = ledger.now(subscription.customer);
  const newPeriod = billing_cycle_anchor === 'now' || changesInterval(ledger, subscription, items);
  const billed = isBilled(subscription);
  const before = { ...subscription };
  if (billed && !newPeriod) placeItems(ledger, subscription, items, now);
  else subscription._items = items;
  if (billed && behavior !== 'none')
    subscription._pending_lines.push(...prorations(ledger, before, newPeriod ? null : subscription, at));
  if (!billed) return undefined;
  if (newPeriod) {
    subscription.billing_cycle_anchor = now;
    startPeriods(ledger, subscription, now);
    if (subscription.cancel_at_period_end) subscription.cancel_at = subscription._period.end;
    return draftInvoice(ledger, subscription, { reason: 'subscription_update' });
  }
  if (behavior !== 'always_invoice' || subscription._pending_lines.length === 0) return undefined;
  return draftInvoice(ledger, subscription, { reason: 'subscription_update', pendingOnly: true });
}

/** Starts or extends a trial, and credits the unused part of what was paid. */
function startTrial(
  ledger: Ledger,
  subscription: Subscription,
  items: SubscriptionItem[],
  at: number,
  input: UpdateSubscriptionInput,
): Invoice {
  const now = ledger.now(subscription.customer);
  const trialEnd = input.trial_end as number;
  if (trialEnd <= now) throw invalidRequest('The trial end date has to be in the future.', { param: 'trial_end' });
  if (trialEnd > now + MAX_TRIAL)
    throw invalidRequest('The trial end date cannot be more than 730 days in the future.', { param: 'trial_end' });
  if (isBilled(subscription) && input.proration_behavior !== 'none')
    subscription._pending_lines.push(...prorations(ledger, subscription, null, at));
  subscription._items = items;
  if (subscription.status !== 'trialing') subscription.trial_start = now;
  subscription.status = 'trialing';
  subscription.trial_end = trialEnd;
  subscription.billing_cycle_anchor = trialEnd;
  sharePeriod(subscription, { start: now, end: trialEnd });
  subscription._trial_end_announced = false;
  if (subscription.cancel_at_period_end) subscription.cancel_at = trialEnd;
  return draftInvoice(ledger, subscription, { reason: 'subscription_update', trial: true });
}

function subtotalOf(ledger: Ledger, items: SubscriptionItem[]): number {
  return items.reduce(
    (sum, { price, quantity }) => sum + stored(ledger.data, 'price', price).unit_amount * quantity,
    0,
  );
}

interface ItemChange {
  id?: string;
  price?: string;
  quantity?: number;
  deleted?: boolean;
  metadata?: Metadata | null;
}

/**
 * Returns the items after these changes, without storing them.
 * @throws ErrorReply on invalid changes
 */
function changedItems(ledger: Ledger, subscription: Subscription, changes: ItemChange[]): SubscriptionItem[] {
  const items = structuredClone(subscription._items);
  for (const [index, change] of changes.entries()) {
    const foundIndex = change.id ? items.findIndex(({ id }) => id === change.id) : -1;
    if (change.id && foundIndex < 0) {
      const message = `Invalid subscription item id: '${change.id}'`;
      throw invalidRequest(message, { code: 'resource_missing', param: `items[${index}][id]` });
    }
    if (change.price) checkPrice(ledger, change.price, `items[${index}][price]`);
    if (change.deleted && foundIndex >= 0) items.splice(foundIndex, 1);
    else if (foundIndex >= 0) writeItem(items[foundIndex]!, change);
    else items.push(newItem(ledger, subscription, change, index));
  }
  if (items.length === 0)
    throw invalidRequest('A subscription must have at least one active plan.', { param: 'items' });
  const duplicate = items.find(({ price }, index) => items.findIndex((other) => other.price === price) !== index);
  if (duplicate) {
    const message = `Cannot add multiple subscription items with the same plan: ${duplicate.price}`;
    throw invalidRequest(message, { param: 'items' });
  }
  checkTogether(items.map(({ price }) => stored(ledger.data, 'price', price)));
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
