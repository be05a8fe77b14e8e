import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningEmulator } from '../core/emulator.ts';
import { createStripeEmulator, type StripeState } from './index.ts';

const SECRET = 'sk_test_emulated';
const PUBLISHABLE = 'pk_test_emulated';
const WEBHOOK_SECRET = 'whsec_emulated';
const DAY = 24 * 3600;

let emulator: RunningEmulator<StripeState>;
let receiver: Server;
let stripe: Stripe;
let account: string;
let received: Stripe.Event[] = [];

beforeEach(async () => {
  received = [];
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(stripe.webhooks.constructEvent(body, request.headers['stripe-signature'] as string, WEBHOOK_SECRET));
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
  emulator = await createStripeEmulator({
    secretKeys: [SECRET],
    publishableKeys: [PUBLISHABLE],
    webhookEndpoints: [{ url, secret: WEBHOOK_SECRET }],
    log: () => {},
  }).start();
  const { hostname, port } = new URL(emulator.url);
  stripe = new Stripe(SECRET, { host: hostname, port, protocol: 'http', telemetry: false });
  account = (await stripe.accounts.create({ type: 'standard', country: 'US', email: 'clinic@example.test' })).id;
});

afterEach(async () => {
  await emulator.stop();
  receiver.close();
});

test('smoke', async () => {
  const on = { stripeAccount: account };
  const product = await stripe.products.create({ name: 'Care plan' }, on);
  const price = await stripe.prices.create(
    {
      product: product.id,
      currency: 'usd',
      unit_amount: 4900,
      recurring: { interval: 'month' },
      metadata: { trial_period_in_days: '7' },
    },
    on,
  );
  const customer = await stripe.customers.create({ email: 'ada@example.test' }, on);
  const subscription = await stripe.subscriptions.create(
    {
      customer: customer.id,
      items: [{ price: price.id }],
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments', 'pending_setup_intent'],
    },
    on,
  );
  expect(subscription.status).toBe('incomplete');
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  expect(invoice.confirmation_secret?.client_secret).toMatch(/^pi_.*_secret_/);
  const secret = invoice.confirmation_secret!.client_secret;
  const answer = await fetch(`${emulator.url}/v1/payment_intents/${secret.split('_secret_')[0]}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({
      key: PUBLISHABLE,
      client_secret: secret,
      _stripe_account: account,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': '4242 4242 4242 4242',
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '40',
      'payment_method_data[card][cvc]': '123',
      use_stripe_sdk: 'true',
    }),
  });
  const intent = await answer.json();
  expect(intent.status).toBe('succeeded');
  expect((await stripe.subscriptions.retrieve(subscription.id, {}, on)).status).toBe('active');
  await expect.poll(() => received.map(({ type }) => type)).toContain('invoice.paid');
  await fetch(`${emulator.url}/_emulator/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_seconds: 32 * DAY }),
  });
    (await stripe.invoices.list({ subscription: subscription.id }, on)).data.map((i) => [
      i.status,
      i.amount_paid,
      i.billing_reason,
      i.number,
    ]),
  );
  const renewed = await stripe.subscriptions.retrieve(subscription.id, {}, on);
});
