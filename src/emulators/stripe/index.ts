import { createHmac } from 'node:crypto';
import type { Control } from '../core/controls.ts';
import { createEmulator, type Emulator } from '../core/emulator.ts';
import type { Problem, Reply } from '../core/route.ts';
import { advanceTime } from './billing/advance-time.ts';
import { closeDispute, isClosed, openDispute } from './billing/disputes.ts';
import { readDropping } from './dropped-webhooks.ts';
import { markDelivered, secretOf, secretsOf, sendEvent, targetsOf } from './events.ts';
import { newId, randomText } from './ids.ts';
import { openLedger } from './ledger.ts';
import type { StripeEvent } from './objects.ts';
import type { StripeEmulatorOptions } from './options.ts';
import { authenticationPages } from './pages/authentication-page.ts';
import { checkoutPages } from './pages/checkout-page.ts';
import { onboardingPages } from './pages/onboarding-page.ts';
import { receiptPages } from './pages/receipt-pages.ts';
import { stripeJsRoute } from './pages/stripe-js-route.ts';
import { accounts, completeOnboarding, newAccount, restrictAccount } from './resources/accounts.ts';
import { authentications, finishAuthentication, type Outcome } from './resources/authentications.ts';
import { capabilities } from './resources/capabilities.ts';
import { charges } from './resources/charges.ts';
import { checkoutSessions } from './resources/checkout-sessions.ts';
import { coupons, promotionCodes } from './resources/coupons.ts';
import { customers } from './resources/customers.ts';
import { disputes } from './resources/disputes.ts';
import { events, webhookEndpoints } from './resources/events.ts';
import { invoicePreviews } from './resources/invoice-previews.ts';
import { invoices } from './resources/invoices.ts';
import { paymentIntents } from './resources/payment-intents.ts';
import { paymentMethods } from './resources/payment-methods.ts';
import { prices } from './resources/prices.ts';
import { products } from './resources/products.ts';
import { refunds } from './resources/refunds.ts';
import { setupIntents } from './resources/setup-intents.ts';
import { subscriptions } from './resources/subscriptions.ts';
import { testClocks } from './resources/test-clocks.ts';
import { accountData, newAccountData, type StripeState } from './state.ts';
import { stripeError } from './wire/errors.ts';
import { purgeExpiredKeys } from './wire/idempotency.ts';
import { routeOf } from './wire/operation.ts';
import { present } from './wire/present.ts';

/**
 * Triggers of the Stripe emulator (`POST /_emulator/trigger`); `account` defaults to the platform's own.
 *
 * - `{"name": "complete_onboarding", "account"}` completes onboarding
 * - `{"name": "complete_authentication", "intent", "outcome"?: "succeeded"|"failed", "account"?}` 3-D Secure
 * - `{"name": "resend_events", "events"?: [ids], "order"?: "given"|"reverse"|"shuffle", "copies"?:
 *   n, "account"?}` sends recorded events again; by default all events of the account
 * - `{"name": "drop_webhooks", "all"?: true, "share"?: 0.1, "seed"?: n, "next"?: n, "types"?: ["invoice.*"]}`
 *   drops webhooks permanently: all, a share or the next n, of all or of these types; without parameters stops
 *   dropping. `GET /v1/events` still lists the events. `{"name": "dropped_webhooks"}` returns the dropped ones
 * - `{"name": "roll_secret", "endpoint": "we_…"|"configured_0", "expires_in_seconds"?: 0 to 86400}` returns a
 *   new signing secret, only in this response; until the old one expires, events carry a signature of each
 * - `{"name": "dispute", "charge", "reason"?, "account"?}` the cardholder disputes a payment
 * - `{"name": "close_dispute", "dispute", "outcome": "won"|"lost", "account"?}` the bank decides
 * - `{"name": "restrict", "account"}` disables charges until onboarding is completed again
 * - `{"name": "deauthorize", "account"}` revokes the platform's access and emits `account.application.deauthorized`
 */
function stripeControls(options: StripeEmulatorOptions): Record<string, Control<StripeState>> {
  const accountIn = (state: StripeState, account: unknown = state.platform): string => {
    if (typeof account !== 'string' || !Object.hasOwn(state.accounts, account)) {
      throw new TypeError(`No account ${String(account)}`);
    }
    return account;
  };
  return {
    complete_onboarding: ({ account }, world) => {
      const id = accountIn(world.state, account);
      return present(completeOnboarding(world, options, id), accountData(world.state, id));
    },

    complete_authentication: ({ account, intent: id, outcome = 'succeeded' }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      const { payment_intent, setup_intent } = ledger.data.objects;
      const intent = payment_intent[String(id)] ?? setup_intent[String(id)];
      if (intent?.status !== 'requires_action') throw new TypeError(`${String(id)} waits for no authentication`);
      if (outcome !== 'succeeded' && outcome !== 'failed') throw new TypeError('outcome is succeeded or failed');
      finishAuthentication(ledger, intent, outcome satisfies Outcome);
      return present(intent, ledger.data);
    },

    resend_events: ({ account, copies = 1, events: ids, order = 'given' }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      if (typeof copies !== 'number' || copies < 1 || copies > 100) throw new TypeError('copies is 1 to 100');
      const recorded = ledger.data.objects.event;
      const selected = Array.isArray(ids) ? ids.map(String) : Object.keys(recorded);
      const missing = selected.filter((id) => !recorded[id]);
      if (missing.length > 0) throw new TypeError(`No events ${missing.join(', ')}`);
      const sent = ordered(Array.from({ length: copies }, () => selected).flat(), order);
      for (const id of sent) {
        const event = recorded[id]!;
        for (const target of targetsOf(ledger, event.type)) sendEvent(ledger, event, target);
      }
      return { sent };
    },

    drop_webhooks: (input, { state }) => {
      const dropping = readDropping(input);
      if (dropping) state.dropping = dropping;
      else delete state.dropping;
      return dropping ?? { dropping: false };
    },

    dropped_webhooks: (_, { state }) => state.dropping?.dropped ?? [],

    roll_secret: ({ endpoint, expires_in_seconds = 0 }, { clock, state }) => {
      const before = typeof endpoint === 'string' ? secretOf(endpoint, options, state) : undefined;
      if (!before) throw new TypeError(`No endpoint ${String(endpoint)}`);
      if (typeof expires_in_seconds !== 'number' || expires_in_seconds < 0 || expires_in_seconds > 86_400)
        throw new TypeError('expires_in_seconds is 0 to 86400');
      const previous = { secret: before, until: clock.nowSeconds() + expires_in_seconds };
      const secret = `whsec_${randomText(32)}`;
      state.rolled = { ...state.rolled, [endpoint as string]: { secret, previous } };
      return { endpoint, secret };
    },

    dispute: ({ account, charge: id, reason = 'general' }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      const charge = ledger.data.objects.charge[String(id)];
      if (!charge?.paid || charge.disputed) throw new TypeError(`${String(id)} is no payment that can be disputed`);
      if (typeof reason !== 'string') throw new TypeError('reason is text');
      return present(openDispute(ledger, charge, { reason, inquiry: false }), ledger.data);
    },

    close_dispute: ({ account, dispute: id, outcome }, world) => {
      const ledger = openLedger(world, options, accountIn(world.state, account));
      const dispute = ledger.data.objects.dispute[String(id)];
      if (!dispute || isClosed(dispute)) throw new TypeError(`${String(id)} is no open dispute`);
      if (outcome !== 'won' && outcome !== 'lost') throw new TypeError('outcome is won or lost');
      return present(closeDispute(ledger, dispute, outcome), ledger.data);
    },

    restrict: ({ account }, world) => {
      const id = accountIn(world.state, account);
      return present(restrictAccount(world, options, id), accountData(world.state, id));
    },

    deauthorize: ({ account }, world) => {
      const id = accountIn(world.state, account);
      if (id === world.state.platform) throw new TypeError('Only connected accounts can be deauthorized');
      const ledger = openLedger(world, options, id);
      const application = { id: newId('ca'), object: 'application', name: null };
      ledger.emit('account.application.deauthorized', application as unknown as StripeEvent);
      // No further events reach the platform.
      ledger.data.account._deauthorized = true;
      return { deauthorized: id };
    },
  };
}

function ordered(ids: string[], order: unknown): string[] {
  if (order === 'given') return ids;
  if (order === 'reverse') return ids.toReversed();
  if (order !== 'shuffle') throw new TypeError('order is given, reverse or shuffle');
  return ids
    .map((id) => ({ id, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

export type { StripeEmulatorOptions } from './options.ts';
export type { StripeState } from './state.ts';

const OPERATIONS = [
  accounts,
  authentications,
  capabilities,
  charges,
  checkoutSessions,
  coupons,
  customers,
  disputes,
  events,
  invoicePreviews,
  invoices,
  paymentIntents,
  paymentMethods,
  prices,
  products,
  promotionCodes,
  refunds,
  setupIntents,
  subscriptions,
  testClocks,
  webhookEndpoints,
].flat();

/**
 * Emulates Stripe's API, version 2026-10-28.endive, in test mode, for subscriptions with cards; other
 * requests are rejected in Stripe's error shape. It starts with the platform's account only.
 *
 * To pay as Stripe.js does, with only the publishable key, send a form-encoded `POST /v1/payment_intents/{id}/confirm`
 * (or `/v1/setup_intents/{id}/confirm`) with `key`, `client_secret`, `_stripe_account` (for a connected account),
 * `payment_method_data[type]=card` and `payment_method_data[card][number|exp_month|exp_year|cvc]`. A card that requires
 * 3-D Secure returns `requires_action` with `next_action.use_stripe_sdk.source`; then send `POST /v1/3ds2/authenticate`
 * with `key`, `client_secret`, `_stripe_account`, `source` and `outcome` (`succeeded` or `failed`), as the dialog's
 * buttons do.
 */
export function createStripeEmulator(options: StripeEmulatorOptions): Emulator<StripeState> {
  for (const key of options.secretKeys)
    if (!key.startsWith('sk_test_')) throw new TypeError('Secret keys must start with sk_test_');
  for (const key of options.publishableKeys) {
    if (!key.startsWith('pk_test_')) throw new TypeError('Publishable keys must start with pk_test_');
  }
  return createEmulator<StripeState>({
    name: 'stripe',
    initialState() {
      const platform = options.platformAccount ?? `acct_1${randomText(15)}`;
      const account = newAccount(platform, Math.floor(Date.now() / 1000), true);
      return { platform, accounts: { [platform]: newAccountData(account) } };
    },
    routes: [
      ...OPERATIONS.map((operation) => routeOf(operation, options)),
      stripeJsRoute,
      ...onboardingPages(options),
      ...authenticationPages(options),
      ...checkoutPages(options),
      ...receiptPages,
    ],
    errorShape,
    cors: true,
    controls: stripeControls(options),
    webhooks: {
      retryWaitsMs: options.webhookRetryWaitsMs,
      sign: ({ body, keyId }, { clock, state }) =>
        webhookHeaders(body, secretsOf(keyId, options, state, clock.nowSeconds())),
      delivered: ({ about, keyId }, { state }) => markDelivered(state, keyId, about),
    },
    onClockMoved(world) {
      const now = world.clock.nowSeconds();
      const changes = Object.entries(world.state.accounts).map(([id, data]) => {
        purgeExpiredKeys(data, now);
        return advanceTime(world, options, id, now);
      });
      return changes.includes(true);
    },
    dataDir: options.dataDir,
    log: options.log,
  });
}

function webhookHeaders(body: string, secrets: string[]): Record<string, string> {
  const agent = { 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' };
  return secrets.length > 0 ? { ...agent, 'stripe-signature': signatureHeader(body, secrets) } : agent;
}

function errorShape({ status, code, message }: Problem): Reply {
  const type = status >= 500 ? 'api_error' : 'invalid_request_error';
  const codes: Partial<Record<Problem['code'], string>> = { rate_limited: 'rate_limit' };
  return stripeError(status, { type, message, ...(codes[code] && { code: codes[code] }) }).reply;
}

/**
 * Builds `Stripe-Signature: t=…,v1=…`: HMAC-SHA256 of `t.body` keyed with the whole secret, with one `v1`
 * per secret while a secret is rolled. Uses real time, because receivers compare it with theirs.
 */
function signatureHeader(body: string, secrets: string[], nowMs = Date.now()): string {
  const t = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
  return [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
