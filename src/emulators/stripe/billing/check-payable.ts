import type { Ledger } from '../ledger.ts';
import type { Customer, Subscription } from '../objects.ts';
import { stored } from '../state.ts';
import { cardError, invalidRequest } from '../wire/errors.ts';
import { decideAttempt, testCard } from './cards.ts';

/**
 * Rejects payments on an account that has not finished onboarding or whose charges are disabled.
 * @throws ErrorReply `charge_not_allowed_on_account`
 */
export function requireCharges({ data: { account } }: Ledger): void {
  if (account.charges_enabled) return;
  const message =
    'This Connect account cannot currently make charges. The `requirements.disabled_reason` property on the account will provide information about why this account is currently disabled. If you are a customer trying to make a purchase, please contact the owner of this site. Your transaction has not been processed.';
  throw invalidRequest(message, { code: 'charge_not_allowed_on_account' });
}

/**
 * Returns a customer that has not been deleted.
 * @throws ErrorReply `resource_missing`
 */
export function liveCustomer(ledger: Ledger, id: string, param: string): Customer {
  const customer = ledger.find('customer', id, param);
  if (customer.deleted) {
    throw invalidRequest(`No such customer: '${id}'`, { code: 'resource_missing', param }, param === 'id' ? 404 : 400);
  }
  return customer;
}

export function checkOwned(ledger: Ledger, method: string, customer: string): void {
  if (ledger.find('payment_method', method, 'default_payment_method').customer === customer) return;
  const message = `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`;
  throw invalidRequest(message, { param: 'default_payment_method' });
}

/**
 * Rejects a subscription without a payment method; with `error_if_incomplete` also a card whose charge would fail
 * or require authentication, before anything is created. Not called for `default_incomplete` on creation.
 */
export function requirePayable(ledger: Ledger, method: string | null, behavior: string): void {
  if (method === null) {
    const message =
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.';
    throw invalidRequest(message, { code: 'resource_missing' });
  }
  if (behavior !== 'error_if_incomplete') return;
  const { _number, _set_up } = stored(ledger.data, 'payment_method', method);
  const attempt = { purpose: 'charge', authenticated: false, offSession: false, setUp: _set_up } as const;
  const verdict = decideAttempt(testCard(_number), attempt);
  if (verdict.type === 'declined') throw cardError(verdict.problem);
  if (verdict.type === 'authenticate') {
    throw cardError({
      code: 'subscription_payment_intent_requires_action',
      message: 'Payment for this subscription requires additional user action before it can be completed successfully.',
    });
  }
}

/** Returns the method that a subscription is charged to: its own default, else its customer's. */
export function defaultMethodOf({ data }: Ledger, subscription: Subscription): string | null {
  const customer = data.objects.customer[subscription.customer];
  return subscription.default_payment_method ?? customer?.invoice_settings?.default_payment_method ?? null;
}
