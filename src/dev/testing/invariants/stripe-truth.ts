import { isDeepStrictEqual } from 'node:util';
import type { Context } from '#server/core/context.ts';
import { subscriptionColumns } from '#server/subscriptions/records/subscription.ts';
import type { Delivery } from '../billing.ts';
import type { Clinic } from '../clinic.ts';

/** Shuffles the deliveries and sends about half of them twice. */
export function shuffleDeliveries(deliveries: Delivery[], next: () => number): Delivery[] {
  const all = deliveries.flatMap((one) => (next() < 0.5 ? [one, one] : [one]));
  return all
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value ?? null, (_, one) => (typeof one === 'bigint' ? Number(one) : one)));

/** S1: returns the columns in which our copy of a subscription differs from Stripe's current state. */
export async function differencesToStripe(billing: Clinic<'stripe'>, ctx: Context, id: string): Promise<string[]> {
  const client = billing.services.providers.stripeClient(billing.services);
  const truth = subscriptionColumns(await client.getSubscription(billing.stripe.accountId, id));
  const row = await ctx.db.subscription.findFirstOrThrow({ where: { id } });
  const columns = Object.keys(truth) as (keyof typeof truth)[];
  return columns.filter((column) => !isDeepStrictEqual(plain(truth[column]), plain(row[column])));
}

/** Returns the payments of a subscription, with the fields in which our copies differ from Stripe's current state. */
export async function paymentDifferences(
  billing: Clinic<'stripe'>,
  ctx: Context,
  subscriptionId: string,
): Promise<string[]> {
  const client = billing.services.providers.stripeClient(billing.services);
  const truth = await client.payments(billing.stripe.accountId).ofSubscription(subscriptionId);
  const rows = await ctx.db.payment.findMany({ where: { subscriptionId } });
  const missing = rows.filter(({ id }) => !truth.some((one) => one.id === id)).map(({ id }) => `${id} is none`);
  return [
    ...missing,
    ...truth.flatMap((one) => {
      const row = rows.find(({ id }) => id === one.id);
      // Stripe renews these links from time to time.
      const { invoiceUrl: _, pdfUrl: __, receiptUrl: ___, ...facts } = one;
      const names = Object.keys(facts) as (keyof typeof facts)[];
      const wrong = names.filter((name) => !isDeepStrictEqual(plain(facts[name]), plain(row?.[name])));
      return wrong.map((name) => `${one.id} ${name}`);
    }),
  ];
}
