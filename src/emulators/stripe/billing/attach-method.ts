import type { Ledger } from '../ledger.ts';
import type { PaymentMethod } from '../objects.ts';
import { cardError, invalidRequest } from '../wire/errors.ts';
import { cardByNumber } from './cards.ts';

/** Gives a method to a customer; refuses one of another customer, and cards whose bank declines being saved. */
export function attachMethod(ledger: Ledger, method: PaymentMethod, customer: string): void {
  if (method.customer === customer) return;
  refuseDetached(method);
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

/** A method that was taken off its customer has done its work for good. */
export function refuseDetached({ _detached }: PaymentMethod): void {
  if (!_detached) return;
  throw invalidRequest(
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
    { param: 'payment_method' },
  );
}
