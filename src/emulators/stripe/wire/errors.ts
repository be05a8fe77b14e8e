import { ErrorReply } from '../../core/route.ts';

export interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  [field: string]: unknown;
}

/** Builds an error in Stripe's shape, always under `error`: stripe-node treats a 404 without that key as a success. */
export function stripeError(status: number, error: StripeErrorBody, headers: Record<string, string> = {}): ErrorReply {
  const doc_url = error.code && `https://docs.stripe.com/error-codes#${error.code.replaceAll('_', '-')}`;
  return new ErrorReply({ status, body: { error: { ...error, ...(doc_url && { doc_url }) } }, headers });
}

export function invalidRequest(
  message: string,
  details: { code?: string; param?: string } = {},
  status = 400,
): ErrorReply {
  return stripeError(status, { type: 'invalid_request_error', message, ...details });
}

/** Builds the error of a missing object: 404 when the path names it, 400 when a parameter does. */
export function noSuch(kind: string, id: string, param: string): ErrorReply {
  const message = `No such ${kind.replace('_', ' ').replace('payment method', 'PaymentMethod')}: '${id}'`;
  return invalidRequest(message, { code: 'resource_missing', param }, param === 'id' ? 404 : 400);
}

export interface CardProblem {
  code: string;
  message: string;
  decline_code?: string;
  param?: string;
}

export function cardError(problem: CardProblem, context: Record<string, unknown> = {}): ErrorReply {
  return stripeError(402, { type: 'card_error', ...problem, ...context });
}
