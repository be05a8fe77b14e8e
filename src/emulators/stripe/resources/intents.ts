import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import type { PaymentIntent, PaymentMethod, SetupIntent } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { flag, metadata, text } from '../wire/params.ts';
import { type MethodData, methodData, newMethod, resolveMethod } from './payment-methods.ts';

/** Parameters of both kinds of confirmation. With a publishable key, the `client_secret` is the authorization. */
export const confirmation = {
  client_secret: text.optional(),
  payment_method: text.optional(),
  payment_method_data: z.strictObject(methodData).optional(),
  return_url: text.optional(),
  use_stripe_sdk: flag.optional(),
  // Stripe.js adds this parameter for the element that it confirms.
  expected_payment_method_type: z.literal('card').optional(),
};

export const creation = {
  allowed_payment_method_types: z.array(z.literal('card')).optional(),
  automatic_payment_methods: z
    .strictObject({ enabled: flag, allow_redirects: z.enum(['always', 'never']).optional() })
    .optional(),
  confirm: flag.optional(),
  customer: text.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
  payment_method: text.optional(),
  payment_method_data: z.strictObject(methodData).optional(),
  return_url: text.optional(),
  use_stripe_sdk: flag.optional(),
};

/** Requires the intent's secret for requests with a publishable key. */
export function checkClientSecret(
  intent: PaymentIntent | SetupIntent,
  secret: string | undefined,
  access: 'secret' | 'publishable',
): void {
  const name = intent.object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent';
  if (secret === undefined && access === 'publishable') {
    throw invalidRequest('Missing required param: client_secret.', {
      code: 'parameter_missing',
      param: 'client_secret',
    });
  }
  if (secret !== undefined && secret !== intent.client_secret) {
    const message = `The client_secret provided does not match the client_secret associated with this ${name}.`;
    throw invalidRequest(message, { param: 'client_secret' });
  }
}

interface MethodParams {
  payment_method?: string;
  payment_method_data?: MethodData;
}

/** Returns the payment method that a confirmation names, creates from its data, or finds on the intent. */
export function chosenMethod(
  ledger: Ledger,
  intent: PaymentIntent | SetupIntent,
  { payment_method, payment_method_data }: MethodParams,
  access: 'secret' | 'publishable',
): PaymentMethod {
  if (payment_method_data) return newMethod(ledger, payment_method_data, access);
  const id = payment_method ?? intent.payment_method;
  if (id) return resolveMethod(ledger, id, 'payment_method');
  const message = `You cannot confirm this ${intent.object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent'} because it's missing a payment method. You can either update it with a payment method and then confirm it again, or confirm it again directly with a payment method.`;
  throw invalidRequest(message, { code: `${intent.object}_unexpected_state` });
}
