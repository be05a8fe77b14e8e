import { Refusal } from '../../core/reply.ts';

export interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  [field: string]: unknown;
}

/** Always under `error`: stripe-node takes a 404 without that key for a success. */
export function stripeError(status: number, error: StripeErrorBody, headers: Record<string, string> = {}): Refusal {
  const doc_url = error.code && `https://docs.stripe.com/error-codes#${error.code.replaceAll('_', '-')}`;
  return new Refusal({ status, body: { error: { ...error, ...(doc_url && { doc_url }) } }, headers });
}

export function invalidRequest(
  message: string,
  details: { code?: string; param?: string } = {},
  status = 400,
): Refusal {
  return stripeError(status, { type: 'invalid_request_error', message, ...details });
}

/** 404 for the object that the path names, 400 for one that a parameter names. */
export function noSuch(kind: string, id: string, param: string): Refusal {
  const message = `No such ${kind.replace('_', ' ').replace('payment method', 'PaymentMethod')}: '${id}'`;
  return invalidRequest(message, { code: 'resource_missing', param }, param === 'id' ? 404 : 400);
}

export interface CardProblem {
  code: string;
  message: string;
  decline_code?: string;
  param?: string;
}

export function cardError(problem: CardProblem, context: Record<string, unknown> = {}): Refusal {
  return stripeError(402, { type: 'card_error', ...problem, ...context });
}
