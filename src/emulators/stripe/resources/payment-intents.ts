import { z } from 'zod';
import { cancelPaymentIntent } from '../billing/advance-invoice.ts';
import { liveCustomer, requireCharges } from '../billing/check-payable.ts';
import { confirmPaymentIntent } from '../billing/confirm-payment-intent.ts';
import { newPaymentIntent } from '../billing/new-payment-intent.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { currency, flag, integer, mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';
import { checkClientSecret, chosenMethod, confirmation, creation } from './intents.ts';

const CANCELABLE = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'requires_capture',
  'processing',
];
const setup_future_usage = z.enum(['on_session', 'off_session']).optional();

export const paymentIntents: Operation[] = [
  operation(
    'POST',
    '/v1/payment_intents',
    {
      ...creation,
      amount: integer.pipe(z.number().min(1).max(99_999_999)),
      currency,
      off_session: flag.optional(),
      receipt_email: text.optional(),
      setup_future_usage,
    },
    ({ input, ledger, access }) => {
      requireCharges(ledger);
      if (input.customer) liveCustomer(ledger, input.customer, 'customer');
      const intent = newPaymentIntent(ledger, {
        amount: input.amount,
        automatic_payment_methods: input.automatic_payment_methods ?? null,
        currency: input.currency,
        customer: input.customer ?? null,
        description: input.description ?? null,
        metadata: input.metadata ?? {},
        payment_method: null,
        receipt_email: input.receipt_email ?? null,
        setup_future_usage: input.setup_future_usage ?? null,
      });
      if (input.payment_method || input.payment_method_data) {
        const method = chosenMethod(ledger, intent, input, access);
        intent.payment_method = method.id;
        intent.status = 'requires_confirmation';
      }
      if (input.confirm) {
        confirmPaymentIntent(ledger, intent, chosenMethod(ledger, intent, {}, access), {
          offSession: input.off_session ?? false,
          returnUrl: input.return_url ?? null,
          useStripeSdk: input.use_stripe_sdk ?? false,
        });
      }
      return present(intent, ledger.data);
    },
  ),
  operation(
    'GET',
    '/v1/payment_intents',
    { ...paging, created: range.optional(), customer: text.optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'payment_intent',
        '/v1/payment_intents',
        input,
        (one) =>
          (input.customer === undefined || one.customer === input.customer) && within(one.created, input.created),
      ),
  ),
  operation(
    'GET',
    '/v1/payment_intents/:id',
    { client_secret: text.optional() },
    ({ input, path, ledger, access }) => {
      const intent = ledger.find('payment_intent', path.id, 'id');
      checkClientSecret(intent, input.client_secret, access);
      return present(intent, ledger.data);
    },
    'publishable',
  ),
  operation(
    'POST',
    '/v1/payment_intents/:id',
    { description: text.optional(), metadata: metadata.optional(), receipt_email: text.optional(), setup_future_usage },
    ({ input, path, ledger }) => {
      const intent = ledger.find('payment_intent', path.id, 'id');
      intent.description = input.description ?? intent.description;
      intent.receipt_email = input.receipt_email ?? intent.receipt_email;
      intent.setup_future_usage = input.setup_future_usage ?? intent.setup_future_usage;
      intent.metadata = mergeMetadata(intent.metadata, input.metadata);
      return present(intent, ledger.data);
    },
  ),
  operation(
    'POST',
    '/v1/payment_intents/:id/confirm',
    { ...confirmation, off_session: flag.optional(), receipt_email: text.optional(), setup_future_usage },
    ({ input, path, ledger, access }) => {
      const intent = ledger.find('payment_intent', path.id, 'id');
      checkClientSecret(intent, input.client_secret, access);
      intent.setup_future_usage = input.setup_future_usage ?? intent.setup_future_usage;
      confirmPaymentIntent(ledger, intent, chosenMethod(ledger, intent, input, access), {
        offSession: access === 'secret' && (input.off_session ?? false),
        returnUrl: input.return_url ?? null,
        useStripeSdk: input.use_stripe_sdk ?? false,
      });
      return present(intent, ledger.data);
    },
    'publishable',
  ),
  operation(
    'POST',
    '/v1/payment_intents/:id/cancel',
    { cancellation_reason: z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']).optional() },
    ({ input, path, ledger }) => {
      const intent = ledger.find('payment_intent', path.id, 'id');
      if (!CANCELABLE.includes(intent.status)) {
        const message = `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: ${CANCELABLE.join(', ')}.`;
        throw invalidRequest(message, { code: 'payment_intent_unexpected_state' });
      }
      cancelPaymentIntent(ledger, intent, input.cancellation_reason ?? null);
      return present(intent, ledger.data);
    },
  ),
];
