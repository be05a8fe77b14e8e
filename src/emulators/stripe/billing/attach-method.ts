import type { Ledger } from '../ledger.ts';
import type { PaymentMethod } from '../objects.ts';
import { cardError, invalidRequest } from '../wire/errors.ts';
import { cardByNumber } from './cards.ts';

/**
 * Attaches a payment method to a customer.
 * @throws ErrorReply when it belongs to another customer, or when the card's bank declines to save it
 */
export function attachMethod(ledger: Ledger, method: PaymentMethod, customer: string): void {
  if (method.customer === customer) return;
  rejectDetached(method);
  if (method.customer !== null) {
    throw invalidRequest('The payment method you provided has already been attached to a customer.', {
      code: 'payment_method_unexpected_state',
    });
  }
  const problem = cardByNumber(method._number)?.setupProblem;
  if (problem) throw cardError(problem);
  method.customer = customer;
  ledger.emit('payment_method.attached', method);
}

/** Rejects a method that was detached: Stripe does not allow it to be used again. */
export function rejectDetached({ _detached }: PaymentMethod): void {
  if (!_detached) return;
  throw invalidRequest(
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
    { param: 'payment_method' },
  );
}
