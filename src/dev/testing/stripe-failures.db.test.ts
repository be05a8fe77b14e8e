import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DAY, MINUTE } from '#server/core/clock.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { listCards, removeCard, setDefaultCard } from '#server/customers/cards/change-cards.ts';
import { listCardSetups, startCardSetup } from '#server/customers/cards/save-card.ts';
import { updateCustomer } from '#server/customers/customer.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import { createOnboardingLink } from '#server/integrations/router.ts';
import { getPromotionCode } from '#server/plans/plan.ts';
import { getPlan } from '#server/plans/router.ts';
import { reconcileStripe } from '#server/reconcile/reconcile-stripe.ts';
import { cancelSubscription } from '#server/subscriptions/cancel/cancel-subscription.ts';
import { previewChange } from '#server/subscriptions/change/preview-change.ts';
import { updateSubscription } from '#server/subscriptions/change/update-subscription.ts';
import { createCheckoutLink } from '#server/subscriptions/checkout/create-checkout-link.ts';
import { openCheckout } from '#server/subscriptions/checkout/open-checkout.ts';
import { redeemCode } from '#server/subscriptions/checkout/redeem-code.ts';
import { createCheckoutSession } from '#server/subscriptions/create/create-checkout-session.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { resolveSubscription } from '#server/subscriptions/create/intent.ts';
import { createManageLink } from '#server/subscriptions/manage/create-manage-link.ts';
import { useManagedCard } from '#server/subscriptions/manage/managed-subscription.ts';
import { listPayments } from '#server/subscriptions/payments/list-payments.ts';
import { refundPayment } from '#server/subscriptions/payments/refund-payment.ts';
import { syncPayments } from '#server/subscriptions/payments/sync-payments.ts';
import { getSubscription } from '#server/subscriptions/sync/get-subscription.ts';
import { asAdmin, asApplication, makeTenant, withKey } from './actors.ts';
import { applyPendingEvents } from './apply-pending-events.ts';
import { CATALOGUE_SCENARIOS, catalogueAtStripe } from './catalogue-scenarios.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { serveHandlers } from './http-server.ts';
import { differencesToStripe, paymentDifferences } from './invariants/stripe-truth.ts';
import { type PausePoint, pauseAt } from './pause-at.ts';
import { reconcileFor } from './reconciling.ts';
import { requestToken } from './rest-client.ts';
import { SEED, seededRandom } from './seed.ts';
import { testSettings } from './services.ts';
import { startHttpProcess } from './start-http-process.ts';
import {
  allCallSites,
  type CallSite,
  FAILURE_KINDS,
  type Failure,
  type FailureKind,
  isMutation,
  withStripeFailure,
} from './stripe-failures.ts';

/**
 * `PROVE=1` covers every call of every use case × every failure × with and without a key × retried or not. Otherwise a
 * seeded sample.
 */
const LONG = process.env.PROVE === '1';
/** Read-only calls of the reconciliation and of webhook processing, which have their own tests. */
const IN_THE_BACKGROUND = [
  'subscriptions.list',
  'events.list',
  'invoicePayments.list',
  'invoices.retrieve',
  'refunds.list',
  'disputes.list',
  'paymentIntents.retrieve',
];

/** Shared with the child process, so that it accepts the same tokens. */
const SECRETS = {
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SESSION_SECRET: randomBytes(32).toString('hex'),
};
let billing: Clinic<'stripe'>;
let app: Context;
let prices: Record<'plain' | 'expensive' | 'trial' | 'coded', string>;
beforeAll(async () => {
  billing = await withClinic({ stripe: true, env: { STRIPE_REQUESTS_PER_SECOND: '10000', ...SECRETS } });
  billing.stripe.hold(true);
  app = asApplication(billing.services, billing.tenant);
  prices = {
    plain: await billing.stripe.price(),
    expensive: await billing.stripe.price({ unit_amount: 9900 }),
    trial: await billing.stripe.price({ trial: '7' }),
    coded: await billing.stripe.price(),
  };
  const coupon = await billing.stripe.api.coupons.create({ percent_off: 50, duration: 'once' }, on());
  await billing.stripe.api.promotionCodes.create(
    { code: 'HALF', promotion: { type: 'coupon', coupon: coupon.id } },
    on(),
  );
  // Changes from here on are in the list of events.
  await reconcileStripe(billing.services, { tenantId: app.tenantId });
}, 120_000);
afterAll(() => billing?.stop());
const on = () => ({ stripeAccount: billing.stripe.accountId });

/** A use case that is repeated until it is done. `owner`: the patient (or tenant) that it affects. */
type Scenario = { owner: string; run(ctx: Context): Promise<unknown>; caller?: Context };

async function paying(): Promise<{ patient_id: string; id: string; payment: string }> {
  const patient_id = await billing.patient();
  const subscription = await createSubscription(app, { patient_id, price_ids: [prices.plain] });
  await billing.stripe.pay(subscription);
  await getSubscription(app, subscription);
  await syncPayments(app, subscription.id);
  const { id: payment } = await app.db.payment.findFirstOrThrow({ where: { subscriptionId: subscription.id } });
  return { patient_id, id: subscription.id, payment };
}
async function cardsOf(patientId: string): Promise<string> {
  const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId } });
  return (await billing.stripe.api.paymentMethods.attach('pm_card_mastercard', { customer: customerId }, on())).id;
}
const page = (patient_id: string) => ({
  patient_id,
  price_ids: [prices.plain],
  success_url: billing.services.config.publicUrl,
  cancel_url: billing.services.config.publicUrl,
});

const VERBS: Record<string, () => Promise<Scenario>> = {
  'a first subscription': async () => {
    const patient_id = await billing.patient();
    return { owner: patient_id, run: (ctx) => createSubscription(ctx, { patient_id, price_ids: [prices.plain] }) };
  },
  'a trial that is to end, with a code': async () => {
    const patient_id = await billing.patient();
    const wish = { patient_id, price_ids: [prices.trial], cancel_at_period_end: true, promotion_code: 'HALF' };
    return { owner: patient_id, run: (ctx) => createSubscription(ctx, wish) };
  },
  'a trial with a card saved for it': async () => {
    const patient_id = await billing.patient();
    const { client_secret, id } = await startCardSetup(app, { patient_id });
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: { id, status: '', client_secret } });
    return { owner: patient_id, run: (ctx) => createSubscription(ctx, { patient_id, price_ids: [prices.trial] }) };
  },
  'a subscription in place of a page and of another wish': async () => {
    const patient_id = await billing.patient();
    await createCheckoutSession(app, page(patient_id));
    await createSubscription(app, { patient_id, price_ids: [prices.coded] });
    const wish = { patient_id, price_ids: [prices.coded, prices.plain] };
    return { owner: patient_id, run: (ctx) => createSubscription(ctx, wish) };
  },
  'a page at Stripe': async () => {
    const patient_id = await billing.patient();
    await createSubscription(app, { patient_id, price_ids: [prices.plain] });
    return { owner: patient_id, run: (ctx) => createCheckoutSession(ctx, page(patient_id)) };
  },
  'a change of plan that is billed now': async () => {
    const { patient_id, id } = await paying();
    const change = { id, price_ids: [prices.expensive], proration: 'now' as const };
    return { owner: patient_id, run: (ctx) => updateSubscription(ctx, change) };
  },
  'what a change would cost': async () => {
    const { patient_id, id } = await paying();
    return { owner: patient_id, run: (ctx) => previewChange(ctx, { id, price_ids: [prices.expensive] }) };
  },
  'an end now': async () => {
    const { patient_id, id } = await paying();
    return { owner: patient_id, run: (ctx) => cancelSubscription(ctx, { id }) };
  },
  'an end of the period, called off': async () => {
    const { patient_id, id } = await paying();
    return {
      owner: patient_id,
      async run(ctx) {
        await cancelSubscription(ctx, { id, cancel_at_period_end: true });
        await updateSubscription(ctx, { id, cancel_at_period_end: false });
      },
    };
  },
  'a refund': async () => {
    const { patient_id, payment: id } = await paying();
    return { owner: patient_id, run: (ctx) => refundPayment(ctx, { id, amount: 1500 }) };
  },
  'another card as the default': async () => {
    const { patient_id } = await paying();
    const id = await cardsOf(patient_id);
    return { owner: patient_id, run: (ctx) => setDefaultCard(ctx, { patient_id, id, is_default: true }) };
  },
  'the card in use off file': async () => {
    const { patient_id } = await paying();
    const { id } = (await listCards(app, { patient_id }))[0]!;
    await cardsOf(patient_id);
    return { owner: patient_id, run: (ctx) => removeCard(ctx, { patient_id, id }).catch(ignoreNotFound) };
  },
  'a card to be saved': async () => {
    const patient_id = await billing.patient();
    return { owner: patient_id, run: (ctx) => startCardSetup(ctx, { patient_id }) };
  },
  'lists, and a changed customer name': async () => {
    const { patient_id } = await paying();
    const { tenantId } = app;
    return {
      owner: patient_id,
      async run(ctx) {
        await listCardSetups(ctx, { patient_id });
        await getPromotionCode(ctx, { code: 'HALF' });
        await getPlan({ ...ctx, actor: asAdmin(billing.services, billing.tenant).actor }, { price_id: prices.plain });
        await updateCustomer(ctx, { tenantId, patientId: patient_id });
      },
    };
  },
  'another end of a trial': async () => {
    const patient_id = await billing.patient();
    const { id } = await createSubscription(app, { patient_id, price_ids: [prices.trial] });
    const trial_end = new Date(Math.ceil(Date.now() / 1000) * 1000 + 20 * DAY).toISOString();
    return { owner: patient_id, run: (ctx) => updateSubscription(ctx, { id, trial_end }) };
  },
  'a code for a trial, on the payment page': () => onPaymentPage(prices.trial),
  'a code before the first payment, on the payment page': () => onPaymentPage(prices.plain),
  'a card for what is paused, on the patient’s page': async () => {
    const patient_id = await billing.patient();
    const { id } = await createSubscription(app, { patient_id, price_ids: [prices.trial] });
    const end_behavior = { missing_payment_method: 'pause' as const };
    await billing.stripe.api.subscriptions.update(id, { trial_settings: { end_behavior } }, on());
    await billing.stripe.api.subscriptions.update(id, { trial_end: 'now' }, on());
    const { url } = await createManageLink(app, { subscription_id: id });
    const setup = await startCardSetup(app, { patient_id });
    const pending = { id: setup.id, status: '', client_secret: setup.client_secret };
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: pending });
    const input = { token: url.split('#')[1]!, setup_intent_id: setup.id };
    const bills = { payments: listPayments, readBills: syncPayments };
    return { owner: patient_id, caller: visitor(), run: (ctx) => useManagedCard(ctx, input, bills) };
  },
  ...Object.fromEntries(
    Object.entries(CATALOGUE_SCENARIOS).map(([verb, scenario]) => [
      verb,
      async () => {
        const owner = crypto.randomUUID();
        const run = scenario(owner, crypto.randomUUID());
        return { owner, run, caller: asAdmin(billing.services, billing.tenant) };
      },
    ]),
  ),
  'an account, and the way to it': async () => {
    const tenant = await makeTenant(billing.services);
    return {
      owner: tenant.id,
      caller: asAdmin(billing.services, tenant),
      async run(ctx) {
        await connectStripe(ctx);
        await createOnboardingLink(ctx, {});
      },
    };
  },
};
const visitor = () => contextFor(billing.services, { kind: 'visitor', tenantId: app.tenantId });

/** The patient retries when the code was not applied; opening the page completes an interrupted attempt. */
async function onPaymentPage(price: string): Promise<Scenario> {
  const patient_id = await billing.patient();
  const { id } = await createSubscription(app, { patient_id, price_ids: [price] });
  const { url } = await createCheckoutLink(app, { subscription_id: id, allow_promotion_codes: true });
  const token = url.split('#')[1]!;
  return {
    owner: patient_id,
    caller: visitor(),
    async run(ctx) {
      const { discount } = await openCheckout(ctx, { token }, createSubscription);
      if (!discount) await redeemCode(ctx, { token, code: 'HALF' }, createSubscription);
    },
  };
}
/** A card that is already removed counts as success. */
const ignoreNotFound = (error: unknown) => {
  if (!(error instanceof CarelaneError && error.code === 'not_found')) throw error;
};

/** What exists at Stripe for one patient, or for one tenant's account. */
function atStripe(owner: string) {
  const { accounts } = billing.stripe.emulator.world.state;
  const account = accounts[billing.stripe.accountId]!;
  const { objects } = account;
  const mine = Object.values(objects.customer).filter(({ metadata }) => metadata?.patient_id === owner);
  const of = <T extends { customer?: unknown }>(all: Record<string, T>) =>
    Object.values(all).filter(({ customer }) => mine.some(({ id }) => id === customer));
  const subscriptions = of(objects.subscription);
  return {
    ...catalogueAtStripe(account, owner),
    accounts: Object.values(accounts).filter(({ account }) => account.metadata?.carelane_tenant === owner).length,
    customers: mine.length,
    subscriptions: subscriptions.map(({ status, _items, cancel_at }) => [
      status,
      _items.map(({ price }) => price).toSorted(),
      cancel_at !== null,
    ]),
    paidWith: new Set(subscriptions.map((one) => one.default_payment_method)).size,
    charges: of(objects.charge).map(({ amount, paid }) => [amount > 5000, paid]),
    invoices: of(objects.invoice).length,
    refunds: of(objects.refund).map(({ amount }) => amount),
    cards: of(objects.payment_method).length,
    openPages: of(objects.checkout_session).filter(({ status }) => status === 'open').length,
  };
}

const MAX_ATTEMPTS = 4;
/** Repeats the request minutes later, as a client without a response does, until it is done. */
async function retry({ run }: Scenario, ctx: Context): Promise<unknown> {
  let last: unknown;
  for (let n = 1; n <= MAX_ATTEMPTS; n++) {
    const later = n * 3 * MINUTE;
    const clock = { now: () => new Date(Date.now() + later) };
    // By then the job has looked up unknown outcomes.
    await runJobs(ctx);
    last = await run({ ...ctx, clock }).then(
      () => null,
      (error: unknown) => error,
    );
    if (last === null) return null;
  }
  return last;
}
async function runJobs({ tenantId, db }: Context): Promise<void> {
  for (const { id } of await db.subscriptionIntent.findMany({ where: { status: 'pending' } }))
    await resolveSubscription(billing.services, { tenantId, intentId: id });
}

type Case = { verb: string; cut: Failure; site: CallSite; isKeyed: boolean; isRetried: boolean };
const nameOf = ({ verb, cut, site, isKeyed, isRetried }: Case) =>
  `${verb}: ${cut.how} call ${cut.call} (${site.method}), ${isKeyed ? 'key' : 'no key'}, ${isRetried ? 'tried again' : 'left'}`;
type Played = { case: Case; scenario: Scenario; before: ReturnType<typeof atStripe>; error: unknown };

let keys = 0;
async function play(one: Case): Promise<Played> {
  const scenario = await VERBS[one.verb]!();
  const own = scenario.caller ?? app;
  // A request behind a link has no idempotency key.
  const ctx = one.isKeyed && own.actor.kind !== 'visitor' ? withKey(own, `cut-${++keys}`) : own;
  const before = atStripe(scenario.owner);
  const line = withStripeFailure(billing.services, one.cut);
  await line.ending(scenario.run(line.as(ctx)));
  const error = one.isRetried ? await retry(scenario, ctx) : null;
  return { case: one, scenario, before, error };
}

/** The calls and the final state of an uninterrupted request. */
async function undisturbed(verb: string) {
  const scenario = await VERBS[verb]!();
  const line = withStripeFailure(billing.services, null);
  const own = scenario.caller ?? app;
  await scenario.run(line.as(own));
  return { calls: line.calls, left: atStripe(scenario.owner) };
}

function casesOf(verb: string, calls: CallSite[], next: () => number, covered: Set<string>): Case[] {
  const all = calls.flatMap((site, n) =>
    // A read-only call has no effect that could be left behind.
    (isMutation(site) ? FAILURE_KINDS : FAILURE_KINDS.slice(0, 1)).flatMap((how: FailureKind) =>
      [true, false].flatMap((isKeyed) =>
        [true, false].map((isRetried) => ({ verb, site, isKeyed, isRetried, cut: { call: n + 1, how } })),
      ),
    ),
  );
  if (LONG) return all;
  // One case for each changing call site, in the first use case that reaches it, and one read in every fourth use case.
  const writes = calls.flatMap((site, n) => (isMutation(site) && !covered.has(site.at) ? [n + 1] : []));
  for (const call of writes) covered.add(calls[call - 1]!.at);
  const some = (from: Case[]) => from.slice(Math.floor(next() * from.length)).slice(0, 1);
  return [
    ...writes.flatMap((call) => some(all.filter(({ cut }) => cut.call === call))),
    ...(Object.keys(VERBS).indexOf(verb) % 4 === 0 ? some(all.filter(({ site }) => !isMutation(site))) : []),
  ];
}

/** Asserts that nothing is duplicated and that both sides agree. */
async function checkLeft({ case: one, scenario, before }: Played, due: ReturnType<typeof atStripe>): Promise<void> {
  const left = atStripe(scenario.owner);
  // Without a retry the work may be undone or half done, but nothing may exist twice.
  if (one.isRetried) expect([nameOf(one), left]).toEqual([nameOf(one), due]);
  for (const what of ['accounts', 'customers', 'cards', 'openPages', 'invoices'] as const)
    expect([nameOf(one), what, left[what]]).toSatisfy(() => left[what] <= Math.max(due[what], before[what]));
  for (const what of ['subscriptions', 'charges', 'refunds', 'products', 'prices', 'codes'] as const)
    expect([nameOf(one), what, left[what].length]).toSatisfy(() => left[what].length <= due[what].length);
  const rows = await app.db.subscription.findMany({ where: { patientId: scenario.owner } });
  expect([nameOf(one), rows.length]).toEqual([nameOf(one), left.subscriptions.length]);
  for (const { id } of rows) {
    expect([nameOf(one), await differencesToStripe(billing, app, id)]).toEqual([nameOf(one), []]);
    expect([nameOf(one), await paymentDifferences(billing, app, id)]).toEqual([nameOf(one), []]);
  }
}

test(`a call to Stripe that is cut leaves one of each, and both sides agree within the bound (seed ${SEED})`, async () => {
  const next = seededRandom();

  const undisturbedByVerb = new Map<string, Awaited<ReturnType<typeof undisturbed>>>();
  for (const verb of Object.keys(VERBS)) undisturbedByVerb.set(verb, await undisturbed(verb));

  const seen = [...undisturbedByVerb.values()].flatMap(({ calls }) => calls.map(({ at }) => at));
  const missed = allCallSites().filter(({ at }) => !seen.includes(at));
  expect(missed.filter((site) => isMutation(site) || !IN_THE_BACKGROUND.includes(site.method))).toEqual([]);

  const covered = new Set<string>();
  const cases = [...undisturbedByVerb].map(([verb, { calls }]) => casesOf(verb, calls, next, covered));
  // Stripe reports thousands of changes, and a reconciliation bound covers a limited number: each use case gets its own
  // round.
  const rounds = LONG ? cases : [cases.flat()];
  let at = new Date();
  for (const round of rounds) {
    const played: Played[] = [];
    for (const one of round) played.push(await play(one));
    const failed = played.filter(({ error }) => error !== null);
    expect(failed.map((one) => [nameOf(one.case), String(one.error)])).toEqual([]);

    await runJobs(app);
    await applyPendingEvents(billing.services, billing.tenant.id);
    const from = new Date(Math.max(at.getTime(), Date.now() + 20 * MINUTE));
    at = await reconcileFor(billing.services, billing.tenant.id, { from });
    for (const one of played) await checkLeft(one, undisturbedByVerb.get(one.case.verb)!.left);
  }
  const all = rounds.flat();
  console.info(
    `cut calls: seed ${SEED}, ${all.length} cases at ${new Set(all.map(({ site }) => site.at)).size} ` +
      `of ${allCallSites().length} places in ${undisturbedByVerb.size} verbs: one of each, both sides agree`,
  );
}, 1_800_000);

/** The points at which the process is killed: before, after and around Stripe's part. */
const EVERY_KILL: [string, PausePoint][] = [
  ['before the outcome is recorded', { table: 'audit_entries', at: 'before insert' }],
  ['before any subscription is read', { tables: ['subscriptions'] }],
  ['before a subscription is written', { table: 'subscriptions', at: 'before insert or update' }],
];

test.each(LONG ? EVERY_KILL : EVERY_KILL.slice(0, 1))(
  'requests without a key whose process is killed (SIGKILL) %s leave at most one of each, and exactly one when repeated',
  async (_, point) => {
    const [patient_id, paid] = [await billing.patient(), await paying()];
    const env = testSettings(billing.database, { STRIPE_API_URL: billing.stripe.emulator.url, ...SECRETS });
    const victim = await startHttpProcess(env);
    const other = await serveHandlers(billing.services);
    onTestFinished(() => other.stop());
    const token = await applicationToken(other.url);
    /** Null when no response arrives. */
    const send = (url: string) =>
      Object.entries({
        '/subscriptions': { patient_id, price_ids: [prices.plain] },
        [`/payments/${paid.payment}/refund`]: { amount: 1500 },
      }).map(([path, input]) =>
        fetch(`${url}/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(input),
        }).then(
          ({ ok }) => ok,
          () => null,
        ),
      );
    /** Counts customers, subscriptions, charges, invoices and refunds, after asserting that both sides agree. */
    const counted = () =>
      Promise.all(
        [patient_id, paid.patient_id].map(async (owner) => {
          const { customers, subscriptions, charges, invoices, refunds } = atStripe(owner);
          const rows = await app.db.subscription.findMany({ where: { patientId: owner } });
          expect(rows).toHaveLength(subscriptions.length);
          for (const { id } of rows) {
            expect(await differencesToStripe(billing, app, id)).toEqual([]);
            expect(await paymentDifferences(billing, app, id)).toEqual([]);
          }
          return [customers, subscriptions.length, charges.length, invoices, refunds.length];
        }),
      ).then((all) => all.flat());

    const halt = await pauseAt(billing.database.ownerUrl, point);
    const lost = send(victim.url);
    try {
      await halt.reached(lost.length);
    } finally {
      await victim.kill();
      await halt.end();
    }
    expect(await Promise.all(lost)).toEqual([null, null]);
    await runJobs(app);
    await reconcileLater();
    const one = [...[1, 1, 0, 1, 0], ...[1, 1, 1, 1, 1]];
    for (const [n, count] of (await counted()).entries()) expect(count).toBeLessThanOrEqual(one[n]!);

    expect(await Promise.all(send(other.url))).toEqual([true, true]);
    await reconcileLater();
    expect(await counted()).toEqual(one);
  },
  120_000,
);

async function reconcileLater(): Promise<void> {
  const { lastRunAt } = await app.db.stripeReconcile.findFirstOrThrow();
  await reconcileFor(billing.services, app.tenantId, { from: new Date(lastRunAt!.getTime() + MINUTE), bounds: 4 / 12 });
}

async function applicationToken(url: string): Promise<string> {
  const { application, client_secret } = await createApplication(asAdmin(billing.services, billing.tenant), {
    name: 'Server',
    scopes: ['subscriptions:write', 'payments:refund'],
  });
  return requestToken(url, { clientId: application.client_id, clientSecret: client_secret });
}
