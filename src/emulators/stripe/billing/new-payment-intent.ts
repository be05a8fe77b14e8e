import { newClientSecret, newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentIntent } from '../objects.ts';

type PaymentIntentInput = Pick<PaymentIntent, 'amount' | 'currency' | 'customer'> & Partial<PaymentIntent>;

/**
 * Stores a PaymentIntent and emits `payment_intent.created`. Its status is
 * `requires_confirmation` with a payment method, else `requires_payment_method`.
 */
export function newPaymentIntent(ledger: Ledger, input: PaymentIntentInput): PaymentIntent {
  const id = newId('pi');
  const intent: PaymentIntent = {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: newClientSecret(id),
    confirmation_method: 'automatic',
    created: ledger.now(input.customer),
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: input.payment_method ? 'requires_confirmation' : 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    _authentication: null,
    _invoice: null,
    _return_url: null,
    ...input,
  };
  ledger.put('payment_intent', intent);
  ledger.emit('payment_intent.created', intent);
  return intent;
}
