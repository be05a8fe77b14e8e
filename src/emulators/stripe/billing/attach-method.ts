import type { Ledger } from '../ledger.ts';
import type { PaymentMethod } from '../objects.ts';
import { cardError, invalidRequest } from '../wire/errors.ts';
import { cardByNumber } from './cards.ts';

/** Gives a method to a customer; refuses one of another customer, and cards whose bank declines being saved. */
export function attachMethod(ledger: Ledger, method: PaymentMethod, customer: string): void {
  if (method.customer === customer) return;
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
