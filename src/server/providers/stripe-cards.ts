import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import { SAFE } from './stripe-errors.ts';
import { reference, seconds } from './stripe-shapes.ts';

const optionalReference = reference.nullish().transform((value) => value ?? null);

/** A card, or another method that Stripe's fields save, such as Link. */
const Card = z.object({
  id: z.string(),
  customer: optionalReference,
  created: seconds,
  type: z.string(),
  card: z.object({ brand: z.string(), last4: z.string(), exp_month: z.int(), exp_year: z.int() }).nullish(),
});
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
const MOST = 100;
const RECENT = 20;
const SAVING = { ...SAFE, checking: 'We are checking with Stripe whether the card was changed.' };

/** Payment methods of customers at Stripe, and the subscriptions that use them. All calls are idempotent. */
export function stripeCardsOf({ config, providers, keyed, pace }: ProviderContext) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace });
  const on = (stripeAccount: string) => ({ stripeAccount });

  return {
    /** All of any type, the newest first. */
    list: async (accountId: string, customer: string): Promise<Card[]> => {
      const wanted = { customer, limit: MOST };
      return (await read(listOf(Card), () => stripe.paymentMethods.list(wanted, on(accountId)))).data;
    },

    /** The payment method of a customer's new subscriptions; null also for a deleted customer. */
    defaultOf: async (accountId: string, customer: string): Promise<string | null> => {
      const found = await read(Customer, () => stripe.customers.retrieve(customer, {}, on(accountId)));
      return found.deleted ? null : (found.invoice_settings?.default_payment_method ?? null);
    },

    setDefault: (accountId: string, customer: string, card: string) =>
      read(
        Customer,
        () => stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } }, on(accountId)),
        SAVING,
      ),

    /** The customer's subscriptions that have not ended. */
    subscriptions: async (accountId: string, customer: string): Promise<ChargedSubscription[]> =>
      (await read(listOf(Charged), () => stripe.subscriptions.list({ customer, limit: MOST }, on(accountId)))).data,

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

    /** Setups that this service has started, the newest first. */
    setups: async (accountId: string, customer: string, patientId: string): Promise<CardSetup[]> => {
      const wanted = { customer, limit: RECENT };
      const { data } = await read(listOf(SetupIntent), () => stripe.setupIntents.list(wanted, on(accountId)));
      return data.filter(({ metadata }) => metadata.patient_id === patientId);
    },
  };
}
