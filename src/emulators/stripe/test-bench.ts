import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { onTestFinished } from 'vitest';
import type { RunningEmulator } from '../core/emulator.ts';
import { createStripeEmulator, type StripeEmulatorOptions, type StripeState } from './index.ts';
import { accountData } from './state.ts';

export const SECRET_KEY = 'sk_test_emulated';
export const PUBLISHABLE_KEY = 'pk_test_emulated';
const WEBHOOK_SECRET = 'whsec_emulated';

/** Timeout for webhooks and pages on a slow machine. */
export const EVENT_TIMEOUT = { timeout: 10_000 };

export const HOUR = 3600;
export const DAY = 24 * HOUR;

export const CARDS = {
  good: '4242424242424242',
  declined: '4000000000000002',
  insufficient: '4000000000009995',
  failsLater: '4000000000000341',
  authenticates: '4000002760003184',
  authenticatesOnSetup: '4000002500003155',
  authenticatesThenInsufficient: '4000008260003178',
};

export type Bench = Awaited<ReturnType<typeof openBench>>;

/** Starts an emulator with the official client, a connected account, and a receiver that verifies every signature. */
export async function openBench(options: Partial<StripeEmulatorOptions> = {}) {
  const events: Stripe.Event[] = [];
  const receiver = await listen(async (body, signature) => {
    events.push(Stripe.webhooks.constructEvent(body, signature, WEBHOOK_SECRET));
  });
  const emulator = await createStripeEmulator({
    secretKeys: [SECRET_KEY],
    publishableKeys: [PUBLISHABLE_KEY],
    webhookEndpoints: [{ url: urlOf(receiver), secret: WEBHOOK_SECRET }],
    log: () => {},
    ...options,
  }).start();
  onTestFinished(async () => {
    await emulator.stop();
    receiver.close();
  });
  const stripe = clientOf(emulator);
  const account = (await stripe.accounts.create({ type: 'standard' })).id;
  // Onboarded without events, so that each test starts with none.
  Object.assign(accountData(emulator.world.state, account).account, {
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  });
  const on = { stripeAccount: account };

  const control = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${emulator.url}/_emulator/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return response.json();
  };

  /** Sends a request as Stripe.js does: with the publishable key and the client secret. */
  const asBrowser = async (path: string, params: Record<string, string>) => {
    const body = new URLSearchParams({ key: PUBLISHABLE_KEY, _stripe_account: account, ...params });
    return (await fetch(emulator.url + path, { method: 'POST', body })).json();
  };

  return {
    account,
    asBrowser,
    control,
    emulator,
    events,
    on,
    stripe,
    advance: (seconds: number) => control('clock', { advance_seconds: seconds }),

    types: () => events.map(({ type }) => type),

    /** Creates a monthly price of 49.00 USD by default. */
    async price(overrides: Partial<Stripe.PriceCreateParams> = {}) {
      const product = await stripe.products.create({ name: 'Care plan' }, on);
      const base = {
        product: product.id,
        currency: 'usd',
        unit_amount: 4900,
        recurring: { interval: 'month' as const },
      };
      return stripe.prices.create({ ...base, ...overrides }, on);
    },

    /** Creates a subscription as a checkout form does, with its client secrets. */
    async subscribe(overrides: Partial<Stripe.SubscriptionCreateParams> & { price?: string } = {}) {
      const { price, ...params } = overrides;
      const customer = params.customer ?? (await stripe.customers.create({ email: 'ada@example.test' }, on)).id;
      return stripe.subscriptions.create(
        {
          customer,
          items: [{ price: price ?? (await this.price()).id }],
          payment_behavior: 'default_incomplete',
          payment_settings: { save_default_payment_method: 'on_subscription' },
          expand: ['latest_invoice.confirmation_secret', 'pending_setup_intent'],
          ...params,
        },
        on,
      );
    },

    /** Confirms a payment or a setup with an entered card, as the card form does. */
    confirm(clientSecret: string, number: string) {
      const kind = clientSecret.startsWith('seti_') ? 'setup_intents' : 'payment_intents';
      return asBrowser(`/v1/${kind}/${clientSecret.split('_secret_')[0]}/confirm`, {
        client_secret: clientSecret,
        use_stripe_sdk: 'true',
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': number,
        'payment_method_data[card][exp_month]': '12',
        'payment_method_data[card][exp_year]': '68',
        'payment_method_data[card][cvc]': '123',
      });
    },

    /** Submits an outcome as the buttons of the 3-D Secure dialog do. */
    authenticate(
      intent: { client_secret: string; next_action: { use_stripe_sdk: { source: string } } },
      outcome: string,
    ) {
      const { source } = intent.next_action.use_stripe_sdk;
      return asBrowser('/v1/3ds2/authenticate', { client_secret: intent.client_secret, source, outcome });
    },

    get: (id: string) => stripe.subscriptions.retrieve(id, {}, on),

    invoicesOf: async (id: string) => (await stripe.invoices.list({ subscription: id }, on)).data,

    /** Creates a subscription and pays it with this card. */
    async paid(number = CARDS.good, overrides: Parameters<typeof this.subscribe>[0] = {}) {
      const subscription = await this.subscribe(overrides);
      const intent = await this.confirm(secretOf(subscription), number);
      if (intent.status === 'requires_action') await this.authenticate(intent, 'succeeded');
      return this.get(subscription.id);
    },
  };
}

/** Returns the client secret of a new subscription's first payment, or of its card setup. */
export function secretOf({ latest_invoice, pending_setup_intent }: Stripe.Subscription): string {
  const setup = pending_setup_intent as Stripe.SetupIntent | null;
  return setup?.client_secret ?? (latest_invoice as Stripe.Invoice).confirmation_secret!.client_secret;
}

export function clientOf(emulator: RunningEmulator<StripeState>, key = SECRET_KEY): Stripe {
  const { hostname, port } = new URL(emulator.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
}

export async function listen(handle: (body: string, signature: string) => Promise<void>): Promise<Server> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const handled = handle(body, request.headers['stripe-signature'] as string);
    response
      .writeHead(
        await handled.then(
          () => 200,
          () => 400,
        ),
      )
      .end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
