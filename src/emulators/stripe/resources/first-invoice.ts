import { liveCustomer } from '../billing/check-payable.ts';
import { type CreateSubscriptionInput, prepareSubscription } from '../billing/create-subscription.ts';
import { scratchLedger } from '../billing/scratch.ts';
import type { Ledger } from '../ledger.ts';
import { newCustomer } from './new-customer.ts';

/** Computes the first invoice of a subscription on copies; neither the subscription nor its customer need exist. */
export function firstInvoice(
  ledger: Ledger,
  { customer, ...input }: Omit<CreateSubscriptionInput, 'customer' | 'payment_behavior'> & { customer?: string | null },
) {
  if (customer) liveCustomer(ledger, customer, 'customer');
  const { ledger: scratch } = scratchLedger(ledger, { customer: customer ?? undefined });
  const buyer = customer ?? scratch.put('customer', newCustomer(scratch, null)).id;
  const { invoice, paymentDue } = prepareSubscription(scratch, {
    ...input,
    customer: buyer,
    payment_behavior: 'default_incomplete',
  });
  return { invoice, ledger: scratch, paymentDue };
}
