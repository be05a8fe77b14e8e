import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';
import type { Api } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { proveUnless } from './prove.ts';
import { authenticate, CARDS, clinicStripe, payWith } from './stripe.ts';

/**
 * Guarantee of client secrets: a browser completes any payment or card setup with what the API returns. Tests each
 * situation with each integration.
 */
test.describe.configure({ mode: 'parallel' });

type Client = SubscriptionView['payment_client'];
const apps: Server[] = [];
test.afterEach(() => {
  for (const app of apps.splice(0)) app.close();
});

/** The smallest page of an app: Stripe.js, a client secret, a button. */
async function openMinimalPage(visitor: Page, client: Client, secret: string): Promise<void> {
  const body = `<!doctype html><title>An app</title><form><div id="card"></div><button>Confirm</button><output></output></form>
<script src="${client.script_url}"></script><script>
const [key, stripeAccount, clientSecret] = ${JSON.stringify([client.publishable_key, client.account_id, secret])};
const stripe = Stripe(key, { stripeAccount });
const elements = stripe.elements({ clientSecret });
elements.create('payment').mount('#card');
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const options = { elements, clientSecret, confirmParams: { return_url: location.href }, redirect: 'if_required' };
  await elements.submit();
  const { error } = clientSecret.startsWith('seti_') ? await stripe.confirmSetup(options) : await stripe.confirmPayment(options);
  document.querySelector('output').textContent = error ? error.message : 'Confirmed';
});
</script>`;
  const app = createServer((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 204, { 'content-type': 'text/html' }).end(isPage ? body : '');
  });
  apps.push(app);
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  await visitor.goto(`http://127.0.0.1:${(app.address() as AddressInfo).port}/`);
}
async function confirmOnMinimalPage(visitor: Page, card: string): Promise<void> {
  await payWith(visitor, card, /^Confirm$/);
  if (card === CARDS.authenticates) await authenticate(visitor);
  await expect(visitor.locator('output')).toHaveText('Confirmed');
}

const clientSecretOf = ({ latest_invoice, pending_setup_intent }: SubscriptionView): string =>
  latest_invoice?.payment_intent?.client_secret ?? pending_setup_intent?.client_secret ?? '';

type SubscriptionRequest = { patientId: string; trial: boolean; code: string | null };
type Integration = {
  /** Starts a subscription, and has the browser complete it with a card. */
  subscribe(setup: Setup, order: SubscriptionRequest, card: string): Promise<void>;
  /** Pays what a subscription owes. */
  settle(setup: Setup, subscription: SubscriptionView, card: string): Promise<void>;
};
type Setup = { api: Api; visitor: Page };

async function priceOf(api: Api, trial: boolean): Promise<string> {
  const plans = await api.call<PlanView[]>('/subscription_plans');
  return plans.find((plan) => Boolean(plan.trial_period_in_days) === trial)!.id;
}
async function createSubscription(
  api: Api,
  { patientId, trial, code }: SubscriptionRequest,
): Promise<SubscriptionView> {
  const order = { patient_id: patientId, price_ids: [await priceOf(api, trial)] };
  return api.call('/subscriptions', { ...order, ...(code && { promotion_code: code }) });
}
const linkTo = (api: Api, id: string, allow_promotion_codes = false) =>
  api.call<{ url: string }>(`/subscriptions/${id}/checkout_link`, { allow_promotion_codes }).then(({ url }) => url);

async function payOnPage(visitor: Page, card: string): Promise<void> {
  await payWith(visitor, card, /^(Pay \$.+|Save card)$/);
  if (card === CARDS.authenticates) await authenticate(visitor);
  await expect(visitor.getByRole('heading', { level: 1, name: /You are all set|Your card is saved/ })).toBeVisible();
}

const settleOnPage = async ({ api, visitor }: Setup, { id }: { id: string }, card: string): Promise<void> => {
  await visitor.goto('about:blank');
  await visitor.goto(await linkTo(api, id));
  await payOnPage(visitor, card);
};

const INTEGRATIONS: Record<string, Integration> = {
  REST: {
    async subscribe({ api, visitor }, order, card) {
      const subscription = await createSubscription(api, order);
      // With a card that was saved before, nothing is left to do.
      if (subscription.next_action === 'none') return;
      await openMinimalPage(visitor, subscription.payment_client, clientSecretOf(subscription));
      await confirmOnMinimalPage(visitor, card);
    },
    async settle({ visitor }, subscription, card) {
      await openMinimalPage(visitor, subscription.payment_client, clientSecretOf(subscription));
      await confirmOnMinimalPage(visitor, card);
    },
  },
  'the checkout page': {
    async subscribe({ api, visitor }, order, card) {
      const { id, next_action } = await createSubscription(api, { ...order, code: null });
      if (next_action === 'none') return;
      await visitor.goto(await linkTo(api, id, order.code !== null));
      if (order.code) {
        await visitor.getByLabel('Promotion code').fill(order.code);
        await visitor.getByRole('button', { name: 'Apply' }).click();
        await expect(visitor.getByText(`${order.code}: 100% off`)).toBeVisible();
        await expect(visitor.getByText(/Nothing is charged today\./)).toBeVisible();
      }
      await payOnPage(visitor, card);
    },
    settle: settleOnPage,
  },
  'a Checkout Session': {
    async subscribe({ api, visitor }, { patientId, trial, code }, card) {
      const returnUrl = `${readCard().portal_url}/checkout`;
      const { url } = await api.call<{ url: string }>('/checkout_sessions', {
        patient_id: patientId,
        price_ids: [await priceOf(api, trial)],
        success_url: returnUrl,
        cancel_url: returnUrl,
        ...(code && { allow_promotion_codes: true }),
      });
      await visitor.goto(url);
      if (code) await visitor.getByLabel('Promotion code').fill(code);
      await visitor.getByLabel('Card number').fill(card);
      await visitor.getByLabel(/^Expiration date/).fill('12 / 68');
      await visitor.getByLabel('Security code').fill('123');
      await visitor.getByRole('button', { name: 'Subscribe' }).click();
      if (card === CARDS.authenticates) await visitor.getByRole('button', { name: 'Complete authentication' }).click();
      await visitor.waitForURL(returnUrl);
    },
    // The page of a Checkout Session is for its purchase only; the portal's own page takes later payments.
    settle: settleOnPage,
  },
};

/** The patient's only subscription, once Stripe's event about it has arrived. */
async function expectState(
  api: Api,
  patientId: string,
  expected: Partial<SubscriptionView>,
): Promise<SubscriptionView> {
  let subscription: SubscriptionView | undefined;
  await expect(async () => {
    const all = await api.call<SubscriptionView[]>(`/subscriptions?patient_id=${patientId}`);
    [subscription] = all.filter(({ status }) => status !== 'incomplete_expired');
    expect(subscription).toMatchObject(expected);
  }).toPass({ timeout: 20_000 });
  return subscription!;
}

const SITUATIONS: Record<string, (setup: Setup, integration: Integration, patientId: string) => Promise<void>> = {
  'payment due': async (setup, integration, patientId) => {
    await integration.subscribe(setup, { patientId, trial: false, code: null }, CARDS.good);
    await expectState(setup.api, patientId, { status: 'active', next_action: 'none' });
  },
  trial: async (setup, integration, patientId) => {
    await integration.subscribe(setup, { patientId, trial: true, code: null }, CARDS.good);
    await expectState(setup.api, patientId, { status: 'trialing', next_action: 'none' });
  },
  'card saved before the trial': async (setup, integration, patientId) => {
    const { api, visitor } = setup;
    const setupIntent = await api.call<{ client_secret: string; payment_client: Client }>('/setup_intents', {
      patient_id: patientId,
    });
    await openMinimalPage(visitor, setupIntent.payment_client, setupIntent.client_secret);
    await confirmOnMinimalPage(visitor, CARDS.good);
    await integration.subscribe(setup, { patientId, trial: true, code: null }, CARDS.good);
    const { id } = await expectState(api, patientId, { status: 'trialing', next_action: 'none' });
    await clinicStripe().endTrial(id);
    await expectState(api, patientId, { status: 'active', next_action: 'none' });
  },
  '100 % code': async (setup, integration, patientId) => {
    const code = await clinicStripe().promotionCode(100);
    await integration.subscribe(setup, { patientId, trial: false, code }, CARDS.good);
    await expectState(setup.api, patientId, {
      status: 'active',
      next_action: 'none',
      discount: expect.any(Object) as never,
    });
  },
  '3-D Secure': async (setup, integration, patientId) => {
    await integration.subscribe(setup, { patientId, trial: false, code: null }, CARDS.authenticates);
    await expectState(setup.api, patientId, { status: 'active', next_action: 'none' });
  },
  'past due': async (setup, integration, patientId) => {
    await integration.subscribe(setup, { patientId, trial: true, code: null }, CARDS.good);
    const { id } = await expectState(setup.api, patientId, { status: 'trialing', next_action: 'none' });
    await clinicStripe().failPayments(id);
    await clinicStripe().endTrial(id);
    await expectState(setup.api, patientId, { status: 'past_due', next_action: 'payment' });
    await integration.settle(setup, await setup.api.subscription(id), CARDS.good);
    await expectState(setup.api, patientId, { status: 'active', next_action: 'none' });
  },
};

/** The gate pays due amounts by each integration, and confirms one payment with the bank. */
const isInGate = (situation: string, integration: string) =>
  situation === 'payment due' || (situation === '3-D Secure' && integration === 'REST');

for (const [situation, run] of Object.entries(SITUATIONS))
  for (const [name, integration] of Object.entries(INTEGRATIONS))
    test(`${situation} is finished by ${name}`, proveUnless(isInGate(situation, name)), async ({ api, visitor }) => {
      const patient = await api.createPatient();
      await run({ api, visitor }, integration, patient.id);
    });
