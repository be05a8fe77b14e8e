import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import { stripeCatalogueOf } from './stripe-catalogue.ts';
import { stripeChangesOf } from './stripe-changes.ts';
import { stripeCheckoutOf } from './stripe-checkout.ts';
import { ENDING, type Retry, SAFE, StripeRejection } from './stripe-errors.ts';
import { stripeListsOf } from './stripe-lists.ts';
import { stripePaymentsOf } from './stripe-payments.ts';
import * as shapes from './stripe-shapes.ts';
import { reference, seconds } from './stripe-shapes.ts';
import {
  chargedMethod,
  paymentIntentIdOf,
  presentStripeSubscription,
  type StripeSubscription,
  type TrialEnd,
  trialOf,
} from './stripe-subscription.ts';

const optionalReference = reference.nullish().transform((value) => value ?? null);

/** A card, or another method that Stripe's fields save, such as Link. */
const Card = z
  .object({
    id: z.string(),
    customer: optionalReference,
    created: seconds,
    type: z.string(),
    card: z.object({ brand: z.string(), last4: z.string(), exp_month: z.int(), exp_year: z.int() }).nullish(),
  })
  .transform((card) => ({ ...card, method: chargedMethod(card) }));
export type Card = z.infer<typeof Card>;

const Customer = z.object({
  id: z.string(),
  deleted: z.boolean().default(false),
  invoice_settings: z.object({ default_payment_method: optionalReference }).nullish(),
});

const SetupIntent = z.object({
  id: z.string().startsWith('seti_'),
  status: z.string(),
  created: seconds,
  client_secret: z.string().nullable(),
  payment_method: optionalReference,
  metadata: z.record(z.string(), z.string()).default({}),
});
export type CardSetup = z.infer<typeof SetupIntent>;

const Charged = z.object({
  id: z.string(),
  status: z.string(),
  cancel_at: seconds.nullish(),
  trial_end: seconds.nullish(),
  default_payment_method: optionalReference,
  items: z.object({ data: z.array(z.object({ current_period_end: seconds.nullish() })) }),
});
/** The part of a subscription that concerns its payment method. */
export type ChargedSubscription = z.infer<typeof Charged>;

const listOf = <Shape extends z.ZodType>(shape: Shape) => z.object({ data: z.array(shape) });
const LIST_LIMIT = 100;
const RECENT = 20;
const SAVING = { ...SAFE, checking: 'We are checking with Stripe whether the card was changed.' };

/** Payment methods of customers at Stripe, and the subscriptions that use them. All calls are idempotent. */
function stripeCardsOf({ config, providers, keyed, pace }: ProviderContext) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace });
  const on = (stripeAccount: string) => ({ stripeAccount });

  return {
    /** All of any type, the newest first. */
    list: async (accountId: string, customer: string): Promise<Card[]> => {
      const wanted = { customer, limit: LIST_LIMIT };
      return (await read(listOf(Card), () => stripe.paymentMethods.list(wanted, on(accountId)))).data;
    },

    /** The payment method of a customer's new subscriptions; null also for a deleted customer. */
    defaultOf: async (accountId: string, customer: string): Promise<string | null> => {
      const retrieved = await read(Customer, () => stripe.customers.retrieve(customer, {}, on(accountId)));
      return retrieved.deleted ? null : (retrieved.invoice_settings?.default_payment_method ?? null);
    },

    setDefault: (accountId: string, customer: string, card: string) =>
      read(
        Customer,
        () => stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } }, on(accountId)),
        SAVING,
      ),

    /** The customer's subscriptions that have not ended. */
    subscriptions: async (accountId: string, customer: string): Promise<ChargedSubscription[]> =>
      (await read(listOf(Charged), () => stripe.subscriptions.list({ customer, limit: LIST_LIMIT }, on(accountId))))
        .data,

    payWith: (accountId: string, subscription: string, card: string) =>
      read(
        Charged,
        () => stripe.subscriptions.update(subscription, { default_payment_method: card }, on(accountId)),
        SAVING,
      ),

    /** Resumes a subscription that paused without a payment method, and bills it. */
    resume: (accountId: string, subscription: string) =>
      read(Charged, () => stripe.subscriptions.resume(subscription, {}, on(accountId)), SAVING),

    detach: (accountId: string, card: string) =>
      read(Card, () => stripe.paymentMethods.detach(card, {}, on(accountId)), SAVING),

    startSetup: (accountId: string, customer: string, patientId: string, key: string | null): Promise<CardSetup> =>
      read(SetupIntent, () =>
        stripe.setupIntents.create(
          { customer, usage: 'off_session', metadata: { patient_id: patientId } },
          { stripeAccount: accountId, ...(key && { idempotencyKey: key }) },
        ),
      ),

    /** Setups that this service has started for the patient's records, the newest first. */
    setups: async (accountId: string, customer: string, patientIds: string[]): Promise<CardSetup[]> => {
      const wanted = { customer, limit: RECENT };
      const { data } = await read(listOf(SetupIntent), () => stripe.setupIntents.list(wanted, on(accountId)));
      return data.filter(({ metadata }) => patientIds.includes(metadata.patient_id ?? ''));
    },
  };
}

export type { Account, Event, Price, PromotionCode } from './stripe-shapes.ts';
export type { StripeSubscription, TrialEnd } from './stripe-subscription.ts';

const SIGNATURE_TOLERANCE_SECONDS = 300;
const PAGE = 100;
const MAX_PAGES = 20;
const WHOLE_SUBSCRIPTION = [
  'latest_invoice.confirmation_secret',
  'latest_invoice.payments',
  'pending_setup_intent',
  'items.data.price.product',
  'discounts.promotion_code',
  'discounts.source.coupon',
  'default_payment_method',
  'customer.invoice_settings.default_payment_method',
];

type NewSubscription = {
  customerId: string;
  priceIds: string[];
  trialDays: number | null;
  /** What happens to a trial that ends without a card; Stripe's default if unset. */
  trialEnd?: TrialEnd | undefined;
  cancelAtPeriodEnd: boolean;
  promotionCodeId: string | null;
  /** A coupon's id. */
  coupon?: string | null | undefined;
  metadata: Record<string, string>;
};

/**
 * Creates the service's interface to Stripe, in a caller's context. Calls about a connected account name it first.
 * `withinMs` limits the total time of all calls on the returned object itself, for callers that cannot wait.
 */
export function createStripeClient(ctx: ProviderContext, limit: { withinMs?: number } = {}) {
  return {
    ...createCalls(ctx, limit),
    cards: stripeCardsOf(ctx),
    catalogue: (accountId: string) => stripeCatalogueOf(ctx, accountId),
    changes: stripeChangesOf(ctx),
    checkout: stripeCheckoutOf(ctx),
    lists: stripeListsOf(ctx),
    payments: (accountId: string) => stripePaymentsOf(ctx, accountId),
  };
}

function createCalls({ config, providers, keyed, pace }: ProviderContext, limit: { withinMs?: number }) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace }, limit.withinMs);

  /** Also reads the payment of an open invoice, because the subscription lacks its status. */
  async function withPayment(accountId: string, wire: shapes.Subscription): Promise<StripeSubscription> {
    const invoice = wire.latest_invoice;
    const paymentId = invoice?.status === 'open' ? paymentIntentIdOf(invoice) : null;
    const payment = paymentId
      ? await read(shapes.PaymentIntent, () =>
          stripe.paymentIntents.retrieve(paymentId, {}, { stripeAccount: accountId }),
        )
      : null;
    return presentStripeSubscription(wire, payment);
  }

  return {
    /** The parameters never vary for a tenant, whose name may change between two attempts: `nameAccount` sets it. */
    createAccount: (tenantId: string, idempotencyKey: string) =>
      read(shapes.Account, () =>
        stripe.accounts.create({ type: 'standard', metadata: { carelane_tenant: tenantId } }, { idempotencyKey }),
      ),

    /** Only before onboarding, in which the account's owner may change it. */
    nameAccount: (accountId: string, name: string) =>
      read(shapes.Account, () => stripe.accounts.update(accountId, { business_profile: { name } })),

    getAccount: (accountId: string) => read(shapes.Account, () => stripe.accounts.retrieve(accountId)),

    createOnboardingLink: (accountId: string, urls: { refresh_url: string; return_url: string }) =>
      read(shapes.AccountLink, () =>
        stripe.accountLinks.create({ account: accountId, type: 'account_onboarding', ...urls }),
      ),

    /** All active recurring prices with their products. */
    async listPrices(accountId: string): Promise<shapes.Price[]> {
      const prices: shapes.Price[] = [];
      for (let page = 0; page < MAX_PAGES; page++) {
        const last = prices.at(-1);
        const { data, has_more } = await read(shapes.PriceList, () =>
          stripe.prices.list(
            {
              active: true,
              type: 'recurring',
              limit: PAGE,
              expand: ['data.product'],
              ...(last && { starting_after: last.id }),
            },
            { stripeAccount: accountId },
          ),
        );
        prices.push(...data);
        if (!has_more || data.length === 0) break;
      }
      return prices;
    },

    /** One price with its product, also an archived one; a price of another account is reported as missing. */
    getPrice: (accountId: string, id: string): Promise<shapes.Price> =>
      read(shapes.Price, () => stripe.prices.retrieve(id, { expand: ['product'] }, { stripeAccount: accountId })),

    /** The promotion code with that text in any case, preferring an active one; null if there is none. */
    async findPromotionCode(accountId: string, code: string): Promise<shapes.PromotionCode | null> {
      const { data } = await read(shapes.PromotionCodeList, () =>
        stripe.promotionCodes.list(
          { code, limit: PAGE, expand: ['data.promotion.coupon.applies_to'] },
          { stripeAccount: accountId },
        ),
      );
      const same = data.filter((promotion) => promotion.code.toLowerCase() === code.toLowerCase());
      return same.find(({ active }) => active) ?? same[0] ?? null;
    },

    /** The parameters never vary for a patient, so that two calls with one key create one customer. */
    createCustomer: (accountId: string, patientId: string, idempotencyKey: string) =>
      read(shapes.Customer, () =>
        stripe.customers.create({ metadata: { patient_id: patientId } }, { stripeAccount: accountId, idempotencyKey }),
      ),

    updateCustomer: (
      accountId: string,
      customerId: string,
      params: { email: string | null; name: string | null; phone: string | null; patientId: string },
    ) =>
      read(shapes.Customer, () =>
        stripe.customers.update(
          customerId,
          {
            ...{ email: params.email ?? '', name: params.name ?? '', phone: params.phone ?? '' },
            metadata: { patient_id: params.patientId },
          },
          { stripeAccount: accountId },
        ),
      ),

    async createSubscription(
      accountId: string,
      params: NewSubscription,
      idempotencyKey: string,
      retry: Retry,
    ): Promise<StripeSubscription> {
      const wire = await read(
        shapes.Subscription,
        () =>
          stripe.subscriptions.create(
            {
              customer: params.customerId,
              items: params.priceIds.map((price) => ({ price })),
              payment_behavior: 'default_incomplete',
              payment_settings: { save_default_payment_method: 'on_subscription' },
              ...trialOf(params),
              ...(params.cancelAtPeriodEnd && { cancel_at_period_end: true }),
              ...(params.promotionCodeId && { discounts: [{ promotion_code: params.promotionCodeId }] }),
              ...(params.coupon && { discounts: [{ coupon: params.coupon }] }),
              metadata: params.metadata,
              expand: WHOLE_SUBSCRIPTION,
            },
            { stripeAccount: accountId, idempotencyKey },
          ),
        retry,
      );
      // No payment was attempted yet, so the payment's status is known without a request.
      return presentStripeSubscription(wire, null);
    },

    async getSubscription(accountId: string, id: string): Promise<StripeSubscription> {
      const wire = await read(shapes.Subscription, () =>
        stripe.subscriptions.retrieve(id, { expand: WHOLE_SUBSCRIPTION }, { stripeAccount: accountId }),
      );
      return withPayment(accountId, wire);
    },

    /** The id of the customer's subscription with that metadata value, or null. */
    async findSubscription(accountId: string, customerId: string, key: string, value: string): Promise<string | null> {
      let last: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { data, has_more } = await read(shapes.SubscriptionList, () =>
          stripe.subscriptions.list(
            { customer: customerId, status: 'all', limit: PAGE, ...(last && { starting_after: last }) },
            { stripeAccount: accountId },
          ),
        );
        const match = data.find(({ metadata }) => metadata[key] === value);
        if (match) return match.id;
        last = data.at(-1)?.id;
        if (!has_more || !last) break;
      }
      return null;
    },

    /** Schedules the end after the current period, or at an instant. Idempotent. */
    scheduleCancel: (accountId: string, id: string, at: Date | 'period_end') =>
      read(
        shapes.Subscription,
        () =>
          stripe.subscriptions.update(
            id,
            {
              ...(at === 'period_end' ? { cancel_at_period_end: true } : { cancel_at: at.getTime() / 1000 }),
              proration_behavior: 'none',
              expand: WHOLE_SUBSCRIPTION,
            },
            { stripeAccount: accountId },
          ),
        ENDING,
      ),

    /** Voids an invoice. Stripe rejects one that is not open, such as a paid one. */
    voidInvoice: (accountId: string, id: string) =>
      read(
        shapes.Invoice.pick({ id: true, status: true }),
        () => stripe.invoices.voidInvoice(id, {}, { stripeAccount: accountId }),
        ENDING,
      ),

    /** Ends the subscription now. An ended one is no error. */
    async cancelNow(accountId: string, id: string): Promise<void> {
      try {
        await read(
          shapes.Subscription,
          () =>
            stripe.subscriptions.cancel(
              id,
              { invoice_now: false, prorate: false, expand: WHOLE_SUBSCRIPTION },
              { stripeAccount: accountId },
            ),
          ENDING,
        );
      } catch (error) {
        if (error instanceof StripeRejection && error.reason === 'resource_missing') return;
        throw error;
      }
    },

    /** Returns the event if the signature is valid and recent, otherwise null. */
    readEvent(rawBody: string, signature: string, now: Date): shapes.Event | null {
      // The library only checks the maximum age of a signature and would accept one from the future.
      const [stamp, ...others] = [...signature.matchAll(/(?:^|,)t=(\d{1,12})(?=,|$)/g)];
      const aheadSeconds = Number(stamp?.[1]) - now.getTime() / 1000;
      if (!stamp || others.length > 0 || aheadSeconds > SIGNATURE_TOLERANCE_SECONDS) return null;
      try {
        const event = stripe.webhooks.constructEvent(
          rawBody,
          signature,
          config.stripe.webhookSecret,
          SIGNATURE_TOLERANCE_SECONDS,
          undefined,
          now.getTime(),
        );
        return shapes.Event.parse(event);
      } catch {
        return null;
      }
    },
  };
}
