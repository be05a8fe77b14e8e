import { createHmac } from 'node:crypto';
import { createEmulator, type Emulator } from '../core/emulator.ts';
import type { Problem, Reply } from '../core/route.ts';
import { advanceTime } from './billing/advance-time.ts';
import { stripeControls } from './controls.ts';
import { markDelivered, secretsOf } from './events.ts';
import { randomText } from './ids.ts';
import type { StripeEmulatorOptions } from './options.ts';
import { authenticationPages } from './pages/authentication-page.ts';
import { checkoutPages } from './pages/checkout-page.ts';
import { onboardingPages } from './pages/onboarding-page.ts';
import { receiptPages } from './pages/receipt-pages.ts';
import { stripeJsRoute } from './pages/stripe-js-route.ts';
import { accounts, newAccount } from './resources/accounts.ts';
import { authentications } from './resources/authentications.ts';
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
import { newAccountData, type StripeState } from './state.ts';
import { stripeError } from './wire/errors.ts';
import { purgeExpiredKeys } from './wire/idempotency.ts';
import { routeOf } from './wire/operation.ts';

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
      ...OPERATIONS.map((one) => routeOf(one, options)),
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
