import { z } from 'zod';
import { liveCustomer } from '../billing/check-payable.ts';
import { confirmSetupIntent } from '../billing/confirm-setup-intent.ts';
import { newSetupIntent } from '../billing/new-setup-intent.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';
import { checkClientSecret, chosenMethod, confirmation, creation } from './intents.ts';

const CANCELABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export const setupIntents: Operation[] = [
  operation(
    'POST',
    '/v1/setup_intents',
    { ...creation, usage: z.enum(['on_session', 'off_session']).optional() },
    ({ input, ledger, access }) => {
      if (input.customer) liveCustomer(ledger, input.customer, 'customer');
      const intent = newSetupIntent(ledger, {
        automatic_payment_methods: input.automatic_payment_methods ?? null,
        customer: input.customer ?? null,
        description: input.description ?? null,
        metadata: input.metadata ?? {},
        usage: input.usage ?? 'off_session',
      });
      if (input.payment_method || input.payment_method_data) {
        intent.payment_method = chosenMethod(ledger, intent, input, access).id;
        intent.status = 'requires_confirmation';
      }
      if (input.confirm) {
        confirmSetupIntent(ledger, intent, chosenMethod(ledger, intent, {}, access), {
          offSession: false,
          returnUrl: input.return_url ?? null,
          useStripeSdk: input.use_stripe_sdk ?? false,
        });
      }
      return present(intent, ledger.data);
    },
  ),
  operation(
    'GET',
    '/v1/setup_intents',
    { ...paging, created: range.optional(), customer: text.optional(), payment_method: text.optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'setup_intent',
        '/v1/setup_intents',
        input,
        (one) =>
          (input.customer === undefined || one.customer === input.customer) &&
          (input.payment_method === undefined || one.payment_method === input.payment_method) &&
          within(one.created, input.created),
      ),
  ),
  operation(
    'GET',
    '/v1/setup_intents/:id',
    { client_secret: text.optional() },
    ({ input, path, ledger, access }) => {
      const intent = ledger.find('setup_intent', path.id, 'id');
      checkClientSecret(intent, input.client_secret, access);
      return present(intent, ledger.data);
    },
    'publishable',
  ),
  operation(
    'POST',
    '/v1/setup_intents/:id',
    { description: text.optional(), metadata: metadata.optional() },
    ({ input, path, ledger }) => {
      const intent = ledger.find('setup_intent', path.id, 'id');
      intent.description = input.description ?? intent.description;
      intent.metadata = mergeMetadata(intent.metadata, input.metadata);
      return present(intent, ledger.data);
    },
  ),
  operation(
    'POST',
    '/v1/setup_intents/:id/confirm',
    confirmation,
    ({ input, path, ledger, access }) => {
      const intent = ledger.find('setup_intent', path.id, 'id');
      checkClientSecret(intent, input.client_secret, access);
      confirmSetupIntent(ledger, intent, chosenMethod(ledger, intent, input, access), {
        offSession: false,
        returnUrl: input.return_url ?? null,
        useStripeSdk: input.use_stripe_sdk ?? false,
      });
      return present(intent, ledger.data);
    },
    'publishable',
  ),
  operation(
    'POST',
    '/v1/setup_intents/:id/cancel',
    { cancellation_reason: z.enum(['abandoned', 'duplicate', 'requested_by_customer']).optional() },
    ({ input, path, ledger }) => {
      const intent = ledger.find('setup_intent', path.id, 'id');
      if (!CANCELABLE.includes(intent.status)) {
        const message = `You cannot cancel this SetupIntent because it has a status of ${intent.status}. Only a SetupIntent with one of the following statuses may be canceled: ${CANCELABLE.join(', ')}.`;
        throw invalidRequest(message, { code: 'setup_intent_unexpected_state' });
      }
      intent.status = 'canceled';
      intent.cancellation_reason = input.cancellation_reason ?? null;
      intent.next_action = null;
      ledger.emit('setup_intent.canceled', intent);
      return present(intent, ledger.data);
    },
  ),
];
