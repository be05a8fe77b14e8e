import { Prisma } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { CARD, type Delivery } from './billing.ts';
import type { Clinic } from './clinic.ts';
import { differencesToStripe, paymentDifferences } from './invariants/stripe-truth.ts';
import { STRIPE_WEBHOOK_SECRET } from './services.ts';

const DAY = 24 * 3600;

/** A subscription's lifecycle, of which the service knows only the creation. */
export type Lifecycle = {
  name: string;
  id: string;
  events: Delivery[];
  /** Resets our copy to its state at creation. */
  forget(): Promise<void>;
  /** The differences between our copies of it and its payments, and Stripe's state. */
  differences(): Promise<string[]>;
};

type Created = Awaited<ReturnType<typeof createSubscription>>;
type Scenario = { trial?: string; begin?: (billing: Clinic<'stripe'>, created: Created) => Promise<unknown> };
const SCENARIOS: Record<string, Scenario> = {
  'paid at once, and renewed': { begin: (billing, created) => billing.stripe.pay(created) },
  'declined, then paid': {
    async begin(billing, created) {
      await billing.stripe.pay(created, CARD.declined);
      await billing.stripe.pay(created);
    },
  },
  'never paid and expired': {},
  'a trial with a card, over': { trial: '2', begin: (billing, created) => billing.stripe.pay(created) },
  'a renewal that fails': { begin: (billing, created) => billing.stripe.pay(created, CARD.failsLater) },
  'paid and canceled': {
    async begin(billing, created) {
      await billing.stripe.pay(created);
      await billing.stripe.api.subscriptions.cancel(created.id, {}, { stripeAccount: billing.stripe.accountId });
    },
  },
};

/** Resolves when Stripe has sent all its events. */
export async function allSent({
  stripe: {
    emulator: { world },
    deliveries,
  },
}: Clinic<'stripe'>): Promise<void> {
  const onItsWay = () => world.webhooks.log().some(({ status }) => status === 'pending');
  for (let before = -1; onItsWay() || before !== deliveries.length; ) {
    before = deliveries.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs six lifecycles concurrently over five weeks without delivering webhooks, which stay held. */
export async function runLifecycles(billing: Clinic<'stripe'>, app: Context): Promise<Lifecycle[]> {
  billing.stripe.hold(true);
  const from = billing.stripe.deliveries.length;
  const begun: { name: string; created: Created; forget(): Promise<void> }[] = [];
  for (const [name, { trial, begin }] of Object.entries(SCENARIOS)) {
    const price_ids = [await billing.stripe.price(trial ? { trial } : {})];
    const created = await createSubscription(app, { patient_id: await billing.patient(), price_ids });
    begun.push({ name, created, forget: await memoryOf(app, created.id) });
    await begin?.(billing, created);
  }
  await billing.stripe.control('clock', { advance_seconds: 2 * DAY + 7200 });
  await billing.stripe.control('clock', { advance_seconds: 32 * DAY });
  await allSent(billing);
  const sent = billing.stripe.deliveries.slice(from);
  return begun.map(({ name, created: { id }, forget }) => ({
    name,
    id,
    forget,
    events: sent.filter(({ rawBody }) => rawBody.includes(id)),
    differences: async () => [
      ...(await differencesToStripe(billing, app, id)),
      ...(await paymentDifferences(billing, app, id)),
    ],
  }));
}

async function memoryOf({ db, tenantId }: Context, id: string): Promise<() => Promise<void>> {
  const where = { tenantId_id: { tenantId, id } };
  // Tickets only increase; everything else is reset.
  const {
    ticket: _,
    syncedTicket: __,
    paymentsTicket: ___,
    paymentsSynced: ____,
    // A generated column.
    attentionFrom: _____,
    ...row
  } = await db.subscription.findUniqueOrThrow({ where });
  const data = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null && isJson(name) ? Prisma.DbNull : value]),
  );
  return async () => {
    await db.inboundEvent.deleteMany({ where: { objectId: id } });
    await db.payment.deleteMany({ where: { subscriptionId: id } });
    await db.subscription.update({ where, data });
  };
}
const JSON_COLUMNS = ['latestInvoice', 'discount', 'pendingSetupIntent', 'paymentMethod', 'pauseCollection'];
const isJson = (name: string): boolean => JSON_COLUMNS.includes(name);

/**
 * The same events with new signatures, which are valid for minutes; `tied`: as if all were created in the same second.
 */
export function resendAll(
  { stripe: { api: stripe } }: Clinic<'stripe'>,
  events: Delivery[],
  { tied = false } = {},
): Delivery[] {
  const parsed = events.map(({ rawBody }) => JSON.parse(rawBody) as { created: number });
  const last = Math.max(...parsed.map(({ created }) => created));
  return parsed.map((event, n) => {
    const rawBody = tied ? JSON.stringify({ ...event, created: last }) : events[n]!.rawBody;
    const signing = { payload: rawBody, secret: STRIPE_WEBHOOK_SECRET };
    return {
      rawBody,
      type: events[n]!.type,
      /** Signed on delivery: a signature is valid for five minutes, and a round may take longer. */
      get signature() {
        return stripe.webhooks.generateTestHeaderString(signing);
      },
    };
  });
}
