import Stripe from 'stripe';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { syncPayments } from '#server/subscriptions/payments/sync-payments.ts';
import type { Sandbox } from './clinic.ts';
import { STRIPE_PUBLISHABLE_KEY, STRIPE_SECRET_KEY } from './services.ts';

/** Creates a subscription in Stripe for a customer without a patient, and its row here. @returns its id */
export async function makeUnknownSubscription(
  { ctx, stripe: { emulator } }: Pick<Sandbox, 'ctx' | 'stripe'>,
  priceId: string,
): Promise<string> {
  const { db, tenantId } = ctx;
  const { accountId } = await db.integration.findFirstOrThrow({ where: { tenantId, provider: 'stripe' } });
  const { hostname, port } = new URL(emulator.url);
  const stripe = new Stripe(STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http', telemetry: false });
  const on = { stripeAccount: accountId! };
  const customer = await stripe.customers.create({ metadata: { mark: newId() } }, on);
  const { id } = await stripe.subscriptions.create(
    { customer: customer.id, items: [{ price: priceId }], trial_period_days: 9 },
    on,
  );
  const now = new Date();
  const seen = { status: 'trialing', name: 'Essential care', firstSeenAt: now, seenAt: now };
  await db.unknownSubscription.createMany({
    data: [{ tenantId, id, accountId: accountId!, customerId: customer.id, ...seen }],
    skipDuplicates: true,
  });
  return id;
}

/** Attaches a test card to a patient's customer, as Stripe.js would. @returns its id */
export async function saveCard(
  { ctx, stripe: { emulator } }: Pick<Sandbox, 'ctx' | 'stripe'>,
  patientId: string,
): Promise<string> {
  const { accountId, customerId } = await ctx.db.processorCustomer.findFirstOrThrow({ where: { patientId } });
  const { hostname, port } = new URL(emulator.url);
  const stripe = new Stripe(STRIPE_SECRET_KEY, { host: hostname, port, protocol: 'http', telemetry: false });
  const card = await stripe.paymentMethods.attach(
    'pm_card_visa',
    { customer: customerId },
    { stripeAccount: accountId },
  );
  return card.id;
}

/** Syncs a subscription's payments and returns the id of the newest. */
export async function billedTo({ ctx: tenant }: Pick<Sandbox, 'ctx'>, subscriptionId: string): Promise<string> {
  await syncPayments(tenant, subscriptionId);
  const where = { tenantId: tenant.tenantId, subscriptionId };
  return (await tenant.db.payment.findFirstOrThrow({ where, orderBy: { createdAt: 'desc' } })).id;
}

/** Pays a subscription's first invoice with the page's client secret, as Stripe.js does, and syncs it. */
async function pay(clinic: Sandbox, subscription: SubscriptionView): Promise<string> {
  const secret = subscription.latest_invoice?.payment_intent?.client_secret ?? '';
  const paid = await fetch(`${clinic.stripe.emulator.url}/v1/payment_intents/${secret.split('_secret_')[0]}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({
      key: STRIPE_PUBLISHABLE_KEY,
      client_secret: secret,
      _stripe_account: subscription.payment_client.account_id,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': '4242424242424242',
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2040',
      'payment_method_data[card][cvc]': '123',
    }),
  });
  if (!paid.ok) throw new Error(`the Stripe emulator answered ${paid.status} ${await paid.text()}`);
  return billedTo(clinic, subscription.id);
}

/** Creates a patient with a paid subscription through the API. @returns the payment's id */
export async function makePayment(clinic: Sandbox, token: string, priceId: string): Promise<string> {
  const make = async (path: string, body: object) => {
    const response = await clinic.rest.call({ method: 'POST', path, token, body });
    if (response.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const { id } = await make('/patients', { first_name: 'Ada', email: `${newId()}@example.test` });
  return pay(clinic, await make('/subscriptions', { patient_id: id, price_ids: [priceId] }));
}

/** Inserts a payment directly, for the tenant without providers. */
export async function insertPayment(
  { db, tenantId }: Context,
  owner: { subscriptionId: string; patientId: string },
): Promise<string> {
  const id = `in_${newId().replaceAll('-', '')}`;
  const now = new Date();
  const amounts = { subtotal: 4900n, total: 4900n, amountDue: 4900n, amountRemaining: 4900n };
  await db.payment.create({
    data: {
      id,
      tenantId,
      ...owner,
      ...amounts,
      accountId: 'acct_1',
      status: 'open',
      currency: 'usd',
      discount: 0n,
      tax: 0n,
      amountPaid: 0n,
      amountRefunded: 0n,
      periodStart: now,
      periodEnd: now,
      createdAt: now,
      updatedAt: now,
    },
  });
  return id;
}
