import { z } from 'zod';
import { ErrorReply } from '../../core/route.ts';
import { finishPaymentAuthentication } from '../billing/confirm-payment-intent.ts';
import { finishSetupAuthentication } from '../billing/confirm-setup-intent.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentIntent, SetupIntent } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { text } from '../wire/params.ts';
import { present } from '../wire/present.ts';
import { checkClientSecret } from './intents.ts';

export type Outcome = 'succeeded' | 'failed';

/**
 * Returns the intent that waits for this 3-D Secure challenge.
 * @throws ErrorReply `resource_missing`
 */
export function intentOfAuthentication(ledger: Ledger, source: string): PaymentIntent | SetupIntent {
  const intents = [...ledger.all('payment_intent'), ...ledger.all('setup_intent')];
  const intent = intents.find(({ _authentication }) => _authentication === source);
  if (!intent)
    throw invalidRequest(`No such authentication: '${source}'`, { code: 'resource_missing', param: 'source' }, 404);
  return intent;
}

/** Applies the outcome of a challenge. A failure is recorded on the intent, where Stripe.js reads it. */
export function finishAuthentication(ledger: Ledger, intent: PaymentIntent | SetupIntent, outcome: Outcome): void {
  const passed = outcome === 'succeeded';
  try {
    if (intent.object === 'payment_intent') finishPaymentAuthentication(ledger, intent as PaymentIntent, passed);
    else finishSetupAuthentication(ledger, intent as SetupIntent, passed);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
  }
}

export const authentications: Operation[] = [
  operation(
    'POST',
    '/v1/3ds2/authenticate',
    { source: text, client_secret: text, outcome: z.enum(['succeeded', 'failed']) },
    ({ input, ledger, access }) => {
      const intent = intentOfAuthentication(ledger, input.source);
      checkClientSecret(intent, input.client_secret, access);
      finishAuthentication(ledger, intent, input.outcome);
      return present(intent, ledger.data);
    },
    'publishable',
  ),
];
