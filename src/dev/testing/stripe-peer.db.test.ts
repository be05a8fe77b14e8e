import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { reconcileStripe } from '#server/reconcile/reconcile-stripe.ts';
import { withClient } from '../../launcher/postgres/with-client.mjs';
import { asApplication } from './actors.ts';
import type { Delivery } from './billing.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { shuffleDeliveries } from './invariants/stripe-truth.ts';
import { type Lifecycle, resendAll, runLifecycles } from './lifecycles.ts';
import { reconcileFor } from './reconciling.ts';
import { SEED, seededRandom } from './seed.ts';
import { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } from './services.ts';

/** Compares our copy of Stripe's state with another implementation's; runs only under `npm run prove`. */
const LONG = process.env.PROVE === '1';
const ORDERS = Math.min(30, Number(process.env.TEST_ORDERS ?? 10));

type Engine = typeof import('@supabase/stripe-sync-engine');
let billing: Clinic<'stripe'>;
let app: Context;
let peer: InstanceType<Engine['StripeSync']>;
let lives: Lifecycle[];
let skipReconciliation: () => Promise<unknown>;
beforeAll(async () => {
  if (!LONG) return;
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  // The package's ES module build cannot find its migrations, because it uses `__dirname`.
  const { runMigrations, StripeSync }: Engine = createRequire(import.meta.url)('@supabase/stripe-sync-engine');
  const { ownerUrl } = billing.database;
  const errors: unknown[] = [];
  await runMigrations({
    databaseUrl: ownerUrl,
    schema: 'stripe',
    logger: { ...console, info() {}, error: (...e: unknown[]) => errors.push(e) } as never,
  });
  expect(errors).toEqual([]);
  // As in its documentation.
  peer = new StripeSync({
    poolConfig: { connectionString: ownerUrl, max: 4 },
    stripeSecretKey: STRIPE_SECRET_KEY,
    stripeWebhookSecret: STRIPE_WEBHOOK_SECRET,
  });
  await reconcileStripe(billing.services, { tenantId: app.tenantId });
  const { lastEventId, previousEventId } = await app.db.stripeReconcile.findFirstOrThrow();
  skipReconciliation = () => app.db.stripeReconcile.updateMany({ data: { lastEventId, previousEventId } });
  lives = await runLifecycles(billing, app);
}, 120_000);
afterAll(async () => {
  await peer?.postgresClient.pool.end();
  await billing?.stop();
});

const query = (text: string) => withClient(billing.database.ownerUrl, (client) => client.query(text));
const forgetAll = async () => {
  await skipReconciliation();
  for (const { forget } of lives) await forget();
  await query('truncate stripe.subscriptions, stripe.subscription_items, stripe.invoices, stripe.charges');
};

/**
 * Returns true when the peer's copies of a subscription and its invoices match Stripe, in the fields that both
 * implementations store.
 */
async function isRightAtPeer({ id }: Lifecycle): Promise<boolean> {
  const { objects } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!;
  const { status, cancel_at_period_end, ended_at } = objects.subscription[id]!;
  const bills = Object.values(objects.invoice).filter((one) => one._subscription === id);
  const { rows } = await query(
    `select status::text, cancel_at_period_end, ended_at from stripe.subscriptions where id = '${id}'`,
  );
  const wanted = { status, cancel_at_period_end, ended_at };
  if (
    JSON.stringify(rows.map((row) => ({ ...row, ended_at: row.ended_at === null ? null : Number(row.ended_at) }))) !==
    JSON.stringify([wanted])
  )
    return false;
  const stored = await query(
    `select id, status::text, amount_paid from stripe.invoices where id in (${bills.map((one) => `'${one.id}'`).join()})`,
  );
  return bills.every((bill) =>
    stored.rows.some(
      (row) => row.id === bill.id && row.status === bill.status && Number(row.amount_paid) === bill.amount_paid,
    ),
  );
}

async function both(arrived: Delivery[]): Promise<number> {
  let rejected = 0;
  for (const { rawBody, signature, ...rest } of arrived) {
    await billing.stripe.deliver({ rawBody, signature, ...rest });
    // Stripe would redeliver a failed event.
    await peer.processWebhook(rawBody as never, signature).catch((error) => {
      rejected += 1;
      if (rejected === 1) console.info(`the peer: ${(error as Error).message}`);
    });
  }
  return rejected;
}

test.skipIf(!LONG)(
  `${ORDERS} orders of the events of six lifecycles, compared with @supabase/stripe-sync-engine (seed ${SEED})`,
  async () => {
    const next = seededRandom();
    const right = { ours: 0, peer: 0 };
    const lossy = { ours: 0, peer: 0 };
    let rejected = 0;
    const count = async (into: typeof right) => {
      for (const life of lives) {
        if ((await life.differences()).length === 0) into.ours += 1;
        if (await isRightAtPeer(life)) into.peer += 1;
      }
    };
    const inOrder = { ours: 0, peer: 0 };
    await forgetAll();
    await both(lives.flatMap((life) => resendAll(billing, life.events)));
    await count(inOrder);
    let now = new Date();
    for (let order = 0; order < ORDERS; order++) {
      const events = lives.flatMap((life) => resendAll(billing, life.events, { tied: order % 2 === 1 }));
      await forgetAll();
      rejected += await both(shuffleDeliveries(events, next));
      await count(right);
      await forgetAll();
      const lost = new Set(events.filter(() => next() < 0.1));
      rejected += await both(shuffleDeliveries(events, next).filter((one) => !lost.has(one)));
      now = await reconcileFor(billing.services, billing.tenant.id, { from: now });
      await count(lossy);
    }
    const all = ORDERS * lives.length;
    console.info(
      `final states that are Stripe’s: as sent, of ${lives.length}, ours ${inOrder.ours}, @supabase/stripe-sync-engine ` +
        `${inOrder.peer}; of ${all} in any order, twice and in one second ours ${right.ours}, ` +
        `it ${right.peer}; with a tenth lost ours ${lossy.ours}, it ${lossy.peer} (${rejected} events refused by it)`,
    );
    expect([right.ours, lossy.ours]).toEqual([all, all]);
  },
  1_800_000,
);
