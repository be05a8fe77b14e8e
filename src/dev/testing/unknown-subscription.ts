import Stripe from 'stripe';
import { newId } from '#server/core/ids.ts';
import type { Sandbox } from './clinic.ts';
import { STRIPE_SECRET_KEY } from './services.ts';

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
