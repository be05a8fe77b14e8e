import type { Ledger } from '../ledger.ts';
import type { PaymentMethod, SetupIntent } from '../objects.ts';
import { stored } from '../state.ts';
import { type CardProblem, cardError, invalidRequest } from '../wire/errors.ts';
import { present } from '../wire/present.ts';
import { rejectDetached } from './attach-method.ts';
import { AUTHENTICATION_FAILED, type ConfirmOptions, requireAuthentication } from './authentication.ts';
import { decideAttempt, testCard } from './cards.ts';

const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/**
 * Attempts to save a card for later use. Ends in `succeeded` or `requires_action`.
 * @throws ErrorReply the card error, after recording the failure
 */
export function confirmSetupIntent(
  ledger: Ledger,
  intent: SetupIntent,
  method: PaymentMethod,
  options: ConfirmOptions,
): void {
  if (!CONFIRMABLE.includes(intent.status)) {
    const message = `This SetupIntent's status is ${intent.status}, but must be one of requires_payment_method, requires_confirmation or requires_action to be confirmed.`;
    throw invalidRequest(message, { code: 'setup_intent_unexpected_state' });
  }
  rejectDetached(method);
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalidRequest('The provided PaymentMethod belongs to another customer.', { param: 'payment_method' });
  }
  intent.payment_method = method.id;
  const test = testCard(method._number);
  const { authenticated = false } = options;
  const verdict = decideAttempt(test, { purpose: 'setup', authenticated, offSession: false, setUp: method._set_up });
  if (verdict.type === 'declined') fail(ledger, intent, method, verdict.problem);
  if (verdict.type === 'approved') succeed(ledger, intent, method);
  else {
    requireAuthentication(ledger, intent, options);
    ledger.emit('setup_intent.requires_action', intent);
  }
}

/** Continues after the cardholder passed or failed the challenge of the intent. */
export function finishSetupAuthentication(ledger: Ledger, intent: SetupIntent, passed: boolean): void {
  const method = stored(ledger.data, 'payment_method', intent.payment_method);
  if (passed) succeed(ledger, intent, method);
  else fail(ledger, intent, method, { ...AUTHENTICATION_FAILED, code: 'setup_intent_authentication_failure' });
}

function succeed(ledger: Ledger, intent: SetupIntent, method: PaymentMethod): void {
  intent.status = 'succeeded';
  intent.next_action = null;
  intent._authentication = null;
  intent.last_setup_error = null;
  method._set_up = true;
  if (intent.customer && method.customer === null) {
    method.customer = intent.customer;
    ledger.emit('payment_method.attached', method);
  }
  ledger.emit('setup_intent.succeeded', intent);
  const subscription =
    intent._subscription === null ? undefined : ledger.data.objects.subscription[intent._subscription];
  if (!subscription) return;
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.pending_setup_intent = null;
    subscription.default_payment_method = method.id;
  });
}

function fail(ledger: Ledger, intent: SetupIntent, method: PaymentMethod, problem: CardProblem): never {
  const shownMethod = present(method, ledger.data);
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent._authentication = null;
  intent.last_setup_error = { type: 'card_error', ...problem, payment_method: shownMethod };
  ledger.emit('setup_intent.setup_failed', intent);
  throw cardError(problem, { setup_intent: present(intent, ledger.data), payment_method: shownMethod });
}
