import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { expect } from 'vitest';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { RunningEmulator } from '#emulators/core/emulator.ts';
import { createStripeEmulator, type StripeEmulatorOptions, type StripeState } from '#emulators/stripe/index.ts';
import type { Services } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import { applyStripeEvents } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';
import { receiveStripeWebhook } from '#server/subscriptions/stripe-events/receive-stripe-webhook.ts';
import { asAdmin } from './actors.ts';
import { STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } from './services.ts';

type PriceOptions = Partial<Stripe.PriceCreateParams> & {
  trial?: string;
  interval?: 'day' | 'week' | 'month' | 'year';
};
export type Delivery = { rawBody: string; signature: string; type: string };
type Signed = Pick<Delivery, 'rawBody' | 'signature'>;
export type TestStripe = {
  emulator: RunningEmulator<StripeState>;
  /** A client with the platform's key. */
  api: Stripe;
  accountId: string;
  /** All events that the receiver got, in order of arrival; while `hold` is on they are not passed to the service. */
  deliveries: Delivery[];
  hold(on: boolean): void;
  /** Stores one event, as the webhook endpoint does. */
  store(delivery: Signed): Promise<void>;
  /** Stores one event and applies the pending events of its object, as the job does within seconds. */
  deliver(delivery: Signed): Promise<void>;
  /** Creates a price on the connected account. */
  price(options?: PriceOptions): Promise<string>;
  /** Confirms with the page's client secret and this card number, as Stripe.js does. */
  pay(view: Pick<SubscriptionView, 'latest_invoice' | 'pending_setup_intent'>, card?: string): Promise<IntentResponse>;
  /** Turns a saved card into a Link wallet, which Stripe's payment fields offer too. */
  asLink(method: string): void;
  /** Calls the emulator's control API. */
  control(path: string, body?: unknown): Promise<unknown>;
  /** Resolves when Stripe has sent all its events and each is applied. */
  allSent(): Promise<void>;
};
// biome-ignore lint/suspicious/noExplicitAny: Stripe's response as it came over the wire
export type IntentResponse = { status: number; body: any };

export const CARD = {
  good: '4242424242424242',
  declined: '4000000000000002',
  threeDSecure: '4000002760003184',
  failsLater: '4000000000000341',
} as const;

/**
 * Starts Stripe's emulator; it sends its events to `webhookUrl`, or else to a receiver that applies them before it
 * responds. `connect` connects a tenant once the services exist.
 */
export async function startStripe(options: Partial<StripeEmulatorOptions>, webhookUrl: string | null) {
  const deliveries: Delivery[] = [];
  let holding = false;
  let receive: (delivery: Signed) => Promise<void> = async () => {};
  const receiver = createServer(async (request, response) => {
    let rawBody = '';
    for await (const chunk of request) rawBody += chunk;
    const signature = String(request.headers['stripe-signature']);
    deliveries.push({ rawBody, signature, type: JSON.parse(rawBody).type });
    try {
      if (!holding) await receive({ rawBody, signature });
      response.end('{"received":true}');
    } catch (error) {
      response.statusCode = error instanceof CarelaneError ? error.status : 500;
      response.end();
    }
  });
  if (!webhookUrl) await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = webhookUrl ?? `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const emulator = await createStripeEmulator({
    secretKeys: [STRIPE_SECRET_KEY],
    publishableKeys: [STRIPE_PUBLISHABLE_KEY],
    webhookEndpoints: [{ url, secret: STRIPE_WEBHOOK_SECRET }],
    log: () => {},
    ...options,
  }).start();

  async function connect(services: Services, tenant: { id: string }): Promise<TestStripe> {
    const { hostname, port } = new URL(emulator.url);
    const api = new Stripe(STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http', telemetry: false });
    async function store({ rawBody, signature }: Signed): Promise<void> {
      const header = (name: string) => (name === 'stripe-signature' ? signature : null);
      await receiveStripeWebhook(services, { rawBody, header });
    }
    const apply = (job: Jobs['apply_stripe_events']) => applyStripeEvents(services, job);
    const [running, waiting] = [new Map<string, Promise<void>>(), new Map<string, Promise<void>>()];
    /** Runs one job at a time for an object, like the job's key; events that arrive during a run share the next run. */
    function applyTogether(job: Jobs['apply_stripe_events']): Promise<void> {
      const key = `${job.tenantId} ${job.objectId}`;
      const next =
        waiting.get(key) ??
        Promise.allSettled([running.get(key)]).then(() => {
          waiting.delete(key);
          const run = apply(job);
          running.set(key, run);
          return run;
        });
      waiting.set(key, next);
      return next;
    }
    async function deliver(delivery: Signed, applying = apply): Promise<void> {
      await store(delivery);
      const { id, account } = JSON.parse(delivery.rawBody) as { id: string; account?: string };
      for (const tenantId of await services.database.tenantsOf(`stripe:${account}`)) {
        const db = services.database.forTenant(tenantId);
        const stored = await db.inboundEvent.findFirst({ where: { tenantId, provider: 'stripe', id } });
        // Failed events stay stored; the job retries them.
        if (stored) await applying({ tenantId, objectId: stored.objectId }).catch(() => {});
      }
    }
    async function control(path: string, body?: unknown): Promise<unknown> {
      const response = await fetch(`${emulator.url}/_emulator/${path}`, {
        ...(body !== undefined && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      if (!response.ok) throw new Error(`the emulator answered ${response.status} ${await response.text()}`);
      return response.json();
    }

    receive = (delivery) => deliver(delivery, applyTogether);
    const { account_id } = await connectStripe(asAdmin(services, tenant));
    const accountId = account_id!;
    await control('trigger', { name: 'complete_onboarding', account: accountId });

    return {
      emulator,
      api,
      accountId,
      deliveries,
      store,
      deliver,
      control,
      async allSent() {
        const isPending = () => emulator.world.webhooks.log().some(({ status }) => status === 'pending');
        await expect.poll(isPending).toBe(false);
      },
      hold(on) {
        holding = on;
      },
      async price({ trial, interval = 'month', ...options } = {}) {
        const product = await api.products.create({ name: 'Care plan' }, { stripeAccount: accountId });
        const created = await api.prices.create(
          {
            product: product.id,
            currency: 'usd',
            unit_amount: 4900,
            recurring: { interval },
            ...(trial && { metadata: { trial_period_in_days: trial } }),
            ...options,
          },
          { stripeAccount: accountId },
        );
        return created.id;
      },
      async pay(view, card = CARD.good) {
        const secret =
          view.latest_invoice?.payment_intent?.client_secret ?? view.pending_setup_intent?.client_secret ?? '';
        const [id] = secret.split('_secret_') as [string];
        const kind = id.startsWith('seti_') ? 'setup_intents' : 'payment_intents';
        const response = await fetch(`${emulator.url}/v1/${kind}/${id}/confirm`, {
          method: 'POST',
          body: new URLSearchParams({
            key: STRIPE_PUBLISHABLE_KEY,
            client_secret: secret,
            _stripe_account: accountId,
            'payment_method_data[type]': 'card',
            'payment_method_data[card][number]': card,
            'payment_method_data[card][exp_month]': '12',
            'payment_method_data[card][exp_year]': '2040',
            'payment_method_data[card][cvc]': '123',
            use_stripe_sdk: 'true',
          }),
        });
        return { status: response.status, body: await response.json() };
      },
      asLink(method) {
        const saved = emulator.world.state.accounts[accountId]!.objects.payment_method[method]!;
        Object.assign(saved, { type: 'link', card: undefined, link: { email: 'ada@example.test' } });
      },
    };
  }

  return {
    settings: { STRIPE_API_URL: emulator.url },
    connect,
    async stop() {
      await emulator.stop();
      receiver.closeAllConnections();
      if (receiver.listening) await new Promise((resolve) => receiver.close(resolve));
    },
  };
}

/** Makes Stripe replay requests whose idempotency key has this prefix with a 500, as Stripe does for 24 hours. */
export function failOnReplay({ stripe: { emulator } }: { stripe: TestStripe }, key: string): void {
  const saved = Object.values(emulator.world.state.accounts).flatMap(({ idempotency }) => Object.entries(idempotency));
  const body = { error: { type: 'api_error', message: 'Something went wrong at Stripe.' } };
  for (const [name, one] of saved) if (name.startsWith(key)) Object.assign(one, { status: 500, body });
}
