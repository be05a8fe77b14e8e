import type { Ledger } from '../ledger.ts';
import type { Subscription } from '../objects.ts';

/** Returns the method that a subscription is charged to: its own default, else its customer's. */
export function defaultMethodOf({ data }: Ledger, subscription: Subscription): string | null {
  const customer = data.objects.customer[subscription.customer];
  return subscription.default_payment_method ?? customer?.invoice_settings?.default_payment_method ?? null;
}
