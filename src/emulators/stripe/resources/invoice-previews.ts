import { z } from 'zod';
import { applyUpdate, isBilled, type UpdateSubscriptionInput } from '../billing/apply-update.ts';
import { lastInvoice } from '../billing/cancel-subscription.ts';
import { firstInvoice } from '../billing/create-subscription.ts';
import { hasEnded } from '../billing/lifecycle.ts';
import { renewSubscription } from '../billing/renew-subscription.ts';
import { scratchLedger } from '../billing/scratch.ts';
import { endTrial } from '../billing/trial.ts';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription } from '../objects.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { flag, integer, text, unset } from '../wire/params.ts';
import { present, type Wire } from '../wire/present.ts';
import { anchor, discountInputs, itemChanges } from './subscriptions.ts';

const subscription_details = z.strictObject({
  billing_cycle_anchor: anchor.optional(),
  cancel_at: z.union([unset, z.enum(['min_period_end', 'max_period_end', 'max_billed_until']), integer]).optional(),
  cancel_at_period_end: flag.optional(),
  cancel_now: flag.optional(),
  items: itemChanges.optional(),
  proration_behavior: z.enum(['always_invoice', 'create_prorations', 'none']).optional(),
  proration_date: integer.optional(),
  trial_end: z.union([z.literal('now'), integer]).optional(),
});
type Details = z.output<typeof subscription_details>;
type Discounts = z.output<typeof discountInputs>;

export const invoicePreviews: Operation[] = [
  operation(
    'POST',
    '/v1/invoices/create_preview',
    {
      customer: text.optional(),
      discounts: z.union([unset.transform(() => []), discountInputs]).optional(),
      preview_mode: z.enum(['next', 'recurring']).optional(),
      subscription: text.optional(),
      subscription_details: subscription_details.optional(),
    },
    ({ input, ledger }) => {
      const { discounts, subscription_details: details = {} } = input;
      if (input.subscription)
        return ofChange(ledger, input.subscription, details, discounts, input.customer, input.preview_mode);
      if (details.items) return ofCreation(ledger, details, discounts, input.customer);
      if (!input.customer) {
        throw invalidRequest('You must provide one of `customer`, `subscription` or `subscription_details[items]`.', {
          code: 'parameter_missing',
          param: 'customer',
        });
      }
      ledger.find('customer', input.customer, 'customer');
      const next = ledger
        .all('subscription')
        .filter(({ customer, status }) => customer === input.customer && !hasEnded(status))
        .sort((a, b) => a._period.end - b._period.end)[0];
      if (!next) throw noUpcomingInvoice(input.customer);
      return ofChange(ledger, next.id, details, discounts, input.customer, input.preview_mode);
    },
  ),
];

function noUpcomingInvoice(customer: string) {
  return invalidRequest(`No upcoming invoices for customer: ${customer}`, { code: 'invoice_upcoming_none' }, 404);
}

/** Previews a subscription's next invoice after a change, or the invoice that the change itself creates. */
function ofChange(
  ledger: Ledger,
  id: string,
  { cancel_now, ...change }: Details,
  discounts: Discounts | undefined,
  customer: string | undefined,
  mode: 'next' | 'recurring' = 'next',
): Wire {
  const subscription = ledger.find('subscription', id, 'subscription');
  if (customer !== undefined && customer !== subscription.customer) {
    throw invalidRequest(`Subscription ${id} does not belong to customer ${customer}.`, { param: 'subscription' });
  }
  if (hasEnded(subscription.status)) throw noUpcomingInvoice(subscription.customer);
  const { at, copy, ledger: scratch } = scratchLedger(ledger, { subscription: id });
  // A trial's first invoice can be previewed before a card is known.
  copy.trial_settings = {
    end_behavior: { ...copy.trial_settings.end_behavior, missing_payment_method: 'create_invoice' },
  };
  const update: UpdateSubscriptionInput = { ...change, ...(discounts && { discounts }) };
  const due = cancel_now
    ? lastInvoice(scratch, copy, { invoice_now: true, prorate: change.proration_behavior !== 'none' })
    : (applyUpdate(scratch, copy, update) ?? trialEndedNow(scratch, copy, update));
  if (mode === 'recurring') copy._pending_lines = [];
  else if (due) return shown(scratch, due);
  if (cancel_now) throw noUpcomingInvoice(subscription.customer);
  return shown(scratch, upcoming(scratch, copy, at));
}

function trialEndedNow(scratch: Ledger, copy: Subscription, { trial_end }: UpdateSubscriptionInput) {
  return trial_end === 'now' && copy.status === 'trialing' ? endTrial(scratch, copy, false) : undefined;
}

/** Computes the invoice of the next period, or of the pending lines when no period follows. */
function upcoming(scratch: Ledger, copy: Subscription, at: number): Invoice {
  const { cancel_at, trial_end, _period } = copy;
  const last = cancel_at !== null && cancel_at <= _period.end;
  if (last || !(isBilled(copy) || copy.status === 'trialing')) {
    const finalInvoice = lastInvoice(scratch, copy, { invoice_now: true });
    if (!finalInvoice) throw noUpcomingInvoice(copy.customer);
    return { ...finalInvoice, created: last ? (cancel_at ?? at) : at };
  }
  const then = { ...scratch, now: () => (copy.status === 'trialing' ? trial_end! : _period.end) };
  if (copy.status === 'trialing') {
    const first = endTrial(then, copy, true);
    if (!first) throw noUpcomingInvoice(copy.customer);
    return first;
  }
  renewSubscription(then, copy);
  return stored(then.data, 'invoice', copy.latest_invoice);
}

/** Previews the first invoice of a new subscription. */
function ofCreation(
  ledger: Ledger,
  details: Details,
  discounts: Discounts | undefined,
  customer: string | undefined,
): Wire {
  const items = details.items!.map(({ price, quantity }, index) => {
    const param = `subscription_details[items][${index}][price]`;
    if (!price) throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
    return { price, quantity };
  });
  const { invoice, ledger: scratch } = firstInvoice(ledger, {
    customer,
    items,
    ...(details.trial_end !== undefined && { trial_end: details.trial_end }),
    ...(discounts && discounts.length > 0 && { discounts }),
  });
  const wire = shown(scratch, invoice);
  return { ...wire, customer: customer ?? null, parent: { ...(wire.parent as Wire), subscription_details: null } };
}

/** Renders a preview: no number, an `upcoming_in_` id, and amounts less the customer's credit. */
function shown({ data }: Ledger, invoice: Invoice): Wire {
  const id = newId('upcoming_in');
  const { balance } = stored(data, 'customer', invoice.customer);
  const due = invoice.total + balance;
  const wire = present(invoice, data);
  const lines = wire.lines as { data: Wire[] };
  return {
    ...wire,
    id,
    amount_due: Math.max(0, due),
    amount_remaining: Math.max(0, due),
    automatically_finalizes_at: null,
    billing_reason: 'upcoming',
    ending_balance: Math.min(0, due),
    lines: { ...lines, data: lines.data.map((line) => ({ ...line, invoice: id })), url: `/v1/invoices/${id}/lines` },
    next_payment_attempt: invoice.created,
    starting_balance: balance,
  };
}
