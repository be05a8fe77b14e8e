import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { collectInvoice } from './advance-invoice.ts';
import { applyUpdate, type UpdateSubscriptionInput } from './apply-update.ts';
import { defaultMethodOf, requireCharges, requirePayable } from './check-payable.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { hasEnded, nextStatus } from './lifecycle.ts';
import { checkPending, discardUpdate, holdUpdate } from './pending-update.ts';
import { scratchLedger } from './scratch.ts';
import { announceTrialEnd, endTrial } from './trial.ts';

/** Updates a subscription and collects the invoice that this requires, as `payment_behavior` says. */
export function updateSubscription(ledger: Ledger, subscription: Subscription, input: UpdateSubscriptionInput): void {
  if (hasEnded(subscription.status)) {
    if (Object.keys(input).every((key) => ['metadata', 'cancellation_details', 'expand'].includes(key))) return;
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  }
  const isPending = input.payment_behavior === 'pending_if_incomplete';
  if (isPending) checkPending(input);
  const preview = applyToCopy(ledger, subscription, input);
  if (isPending && preview.due > 0) {
    holdUpdate(ledger, subscription, preview.copy, preview.invoice!);
    return;
  }
  if (input.items || input.trial_end !== undefined || input.billing_cycle_anchor) discardUpdate(ledger, subscription);
  const invoice = applyUpdate(ledger, subscription, input);
  if (invoice) {
    ledger.emit('invoice.created', invoice);
    collect(ledger, subscription, invoice, input.payment_behavior);
  }
  if (input.trial_end === 'now' && subscription.status === 'trialing') {
    const first = endTrial(ledger, subscription, false);
    if (first) collect(ledger, subscription, first, input.payment_behavior);
  }
  announceTrialEnd(ledger, subscription);
}

/**
 * Applies the update to a copy, so that an invalid one is rejected before anything changes.
 * With `error_if_incomplete`, also rejects an update whose payment would fail.
 */
function applyToCopy(ledger: Ledger, { id }: Subscription, input: UpdateSubscriptionInput) {
  const scratch = scratchLedger(ledger, { subscription: id });
  const { copy } = scratch;
  const updated = applyUpdate(scratch.ledger, copy, input);
  const ending = input.trial_end === 'now' && copy.status === 'trialing';
  const invoice = ending ? endTrial(scratch.ledger, copy, false) : updated;
  const due = invoice ? invoice.total + stored(scratch.ledger.data, 'customer', copy.customer).balance : 0;
  if (input.payment_behavior === 'error_if_incomplete' && due > 0) {
    requireCharges(ledger);
    requirePayable(ledger, defaultMethodOf(scratch.ledger, copy), 'error_if_incomplete');
  }
  return { copy, invoice, due };
}

function collect(
  ledger: Ledger,
  subscription: Subscription,
  invoice: Invoice,
  behavior: UpdateSubscriptionInput['payment_behavior'],
): void {
  finalizeInvoice(ledger, invoice);
  if (behavior !== 'default_incomplete') {
    collectInvoice(ledger, invoice);
    return;
  }
  // With `default_incomplete`, the client confirms the payment; until then the subscription is past due.
  if (invoice.status !== 'open') return;
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.status = nextStatus(subscription.status, { type: 'payment_failed' });
  });
}
