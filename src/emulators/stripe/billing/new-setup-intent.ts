import { newClientSecret, newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { SetupIntent } from '../objects.ts';

export function newSetupIntent(
  ledger: Ledger,
  input: Pick<SetupIntent, 'customer'> & Partial<SetupIntent>,
): SetupIntent {
  const id = newId('seti');
  const intent: SetupIntent = {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: newClientSecret(id),
    created: ledger.now(input.customer),
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: input.payment_method ? 'requires_confirmation' : 'requires_payment_method',
    usage: 'off_session',
    _authentication: null,
    _return_url: null,
    _subscription: null,
    ...input,
  };
  ledger.put('setup_intent', intent);
  ledger.emit('setup_intent.created', intent);
  return intent;
}
