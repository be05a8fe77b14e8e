import type { ProviderContext } from '../core/context.ts';
import { ENDING, type Retry, StripeRefusal } from './stripe-faults.ts';
import { readerFor } from './stripe-read.ts';
import * as shapes from './stripe-shapes.ts';
import { type ProcessorSubscription, paymentIntentIdOf, presentStripeSubscription } from './stripe-subscription.ts';

export { type Retry, StripeFailure, StripeRefusal } from './stripe-faults.ts';
export type { Account, Event, Price, PromotionCode } from './stripe-shapes.ts';
export type { ProcessorSubscription } from './stripe-subscription.ts';

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

export type NewSubscription = {
  customerId: string;
  priceIds: string[];
  trialDays: number | null;
  /** What becomes of the trial without a card; as Stripe has it unless said. */
  trialEnd?: TrialEnd | undefined;
  cancelAtPeriodEnd: boolean;
  promotionCodeId: string | null;
  /** A coupon's id. */
  coupon?: string | null | undefined;
  metadata: Record<string, string>;
};

/** A clinic's words for what Stripe does with a trial that ends without a card. */
const MISSING_CARD = { cancel: 'cancel', pause: 'pause', past_due: 'create_invoice' } as const;
export type TrialEnd = keyof typeof MISSING_CARD;

/** A trial, as both a subscription and Stripe's hosted page take it. */
export const trialOf = ({ trialDays, trialEnd }: Pick<NewSubscription, 'trialDays' | 'trialEnd'>) =>
  trialDays !== null && {
    trial_period_days: trialDays,
    ...(trialEnd && { trial_settings: { end_behavior: { missing_payment_method: MISSING_CARD[trialEnd] } } }),
  };

/**
 * What the service asks of Stripe. Calls about a connected account name it first. `withinMs` is for who cannot wait: all
 * that is asked by what is returned then has to be answered in that time.
 */
export function stripeOf({ config, providers, keyed, pace }: ProviderContext, limit: { withinMs?: number } = {}) {
  const stripe = providers.stripe();
  const read = readerFor({ config, keyed, pace }, limit.withinMs);

  /** Reads the payment of an open invoice too, whose status no subscription carries. */
  async function whole(accountId: string, wire: shapes.Subscription): Promise<ProcessorSubscription> {
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
    /** The parameters never vary for a tenant, whose name may change between two tries: `nameAccount` gives it. */
    createAccount: (tenantId: string, idempotencyKey: string) =>
      read(shapes.Account, () =>
        stripe.accounts.create({ type: 'standard', metadata: { carelane_tenant: tenantId } }, { idempotencyKey }),
      ),

    /** Only before onboarding, in which its holder may change it. */
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

    /** One price with its product, though it is archived; a price of another account is refused as missing. */
    getPrice: (accountId: string, id: string): Promise<shapes.Price> =>
      read(shapes.Price, () => stripe.prices.retrieve(id, { expand: ['product'] }, { stripeAccount: accountId })),

    /** The promotion code of that text in any case, one that is active before others; null where there is none. */
    async findPromotionCode(accountId: string, code: string): Promise<shapes.PromotionCode | null> {
      const { data } = await read(shapes.PromotionCodeList, () =>
        stripe.promotionCodes.list(
          { code, limit: PAGE, expand: ['data.promotion.coupon.applies_to'] },
          { stripeAccount: accountId },
        ),
      );
      const same = data.filter((found) => found.code.toLowerCase() === code.toLowerCase());
      return same.find(({ active }) => active) ?? same[0] ?? null;
    },

    /** The parameters never vary for a patient, so that two creates with one key are one customer. */
    createCustomer: (accountId: string, patientId: string, idempotencyKey: string) =>
      read(shapes.Customer, () =>
        stripe.customers.create({ metadata: { patient_id: patientId } }, { stripeAccount: accountId, idempotencyKey }),
      ),

    updateCustomer: (
      accountId: string,
      customerId: string,
      given: { email: string | null; name: string | null; phone: string | null },
    ) =>
      read(shapes.Customer, () =>
        stripe.customers.update(
          customerId,
          { email: given.email ?? '', name: given.name ?? '', phone: given.phone ?? '' },
          { stripeAccount: accountId },
        ),
      ),

    async createSubscription(
      accountId: string,
      given: NewSubscription,
      idempotencyKey: string,
      retry: Retry,
    ): Promise<ProcessorSubscription> {
      const wire = await read(
        shapes.Subscription,
        () =>
          stripe.subscriptions.create(
            {
              customer: given.customerId,
              items: given.priceIds.map((price) => ({ price })),
              payment_behavior: 'default_incomplete',
              payment_settings: { save_default_payment_method: 'on_subscription' },
              ...trialOf(given),
              ...(given.cancelAtPeriodEnd && { cancel_at_period_end: true }),
              ...(given.promotionCodeId && { discounts: [{ promotion_code: given.promotionCodeId }] }),
              ...(given.coupon && { discounts: [{ coupon: given.coupon }] }),
              metadata: given.metadata,
              expand: WHOLE_SUBSCRIPTION,
            },
            { stripeAccount: accountId, idempotencyKey },
          ),
        retry,
      );
      // Nothing has tried to pay it yet, so its payment's status is known without asking.
      return presentStripeSubscription(wire, null);
    },

    async getSubscription(accountId: string, id: string): Promise<ProcessorSubscription> {
      const wire = await read(shapes.Subscription, () =>
        stripe.subscriptions.retrieve(id, { expand: WHOLE_SUBSCRIPTION }, { stripeAccount: accountId }),
      );
      return whole(accountId, wire);
    },

    /** The id of the customer's subscription whose metadata has that value under that key, or null. */
    async findSubscription(accountId: string, customerId: string, key: string, value: string): Promise<string | null> {
      let last: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { data, has_more } = await read(shapes.SubscriptionList, () =>
          stripe.subscriptions.list(
            { customer: customerId, status: 'all', limit: PAGE, ...(last && { starting_after: last }) },
            { stripeAccount: accountId },
          ),
        );
        const found = data.find(({ metadata }) => metadata[key] === value);
        if (found) return found.id;
        last = data.at(-1)?.id;
        if (!has_more || !last) break;
      }
      return null;
    },

    /** Ends after the running period, or at an instant. Asking twice is asking once. */
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

    /** Gives up a bill. Stripe refuses that of one that is not open, as it is once it is paid. */
    voidInvoice: (accountId: string, id: string) =>
      read(
        shapes.Invoice.pick({ id: true, status: true }),
        () => stripe.invoices.voidInvoice(id, {}, { stripeAccount: accountId }),
        ENDING,
      ),

    /** Ends now. One that has ended already is no error. */
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
        if (error instanceof StripeRefusal && error.reason === 'resource_missing') return;
        throw error;
      }
    },

    /** The event, when the signature is Stripe's and fresh; null for anything else. */
    readEvent(rawBody: string, signature: string, now: Date): shapes.Event | null {
      // The client looks only at how old a signature is, and would keep one from the future good for as long as it likes.
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
