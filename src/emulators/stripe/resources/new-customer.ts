import { newId, randomText } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Customer } from '../objects.ts';

/** Builds an empty customer, without storing it. */
export function newCustomer(ledger: Ledger, testClock: string | null): Customer {
  return {
    id: newId('cus').slice(0, 18),
    object: 'customer',
    address: null,
    balance: 0,
    created: ledger.now(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: testClock,
  };
}
