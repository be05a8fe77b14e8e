import { z } from 'zod';
import type { ProviderContext } from '../core/context.ts';
import { createStripeCall } from './stripe-call.ts';
import { StripeRejection } from './stripe-errors.ts';
import { reference, seconds } from './stripe-shapes.ts';
import { type TrialEnd, trialOf } from './stripe-subscription.ts';

const Session = z.object({
  id: z.string().startsWith('cs_'),
  url: z.string().nullable(),
  status: z.string().nullable(),
  client_reference_id: z.string().nullable(),
  created: seconds,
  expires_at: seconds,
});
export type HostedCheckout = z.infer<typeof Session>;

const Sold = z.object({ id: z.string(), product: reference });
const Opened = z.object({
  id: z.string(),
  status: z.string().nullable(),
  subscription: reference.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  line_items: z.object({ data: z.array(z.object({ price: Sold.nullish() })) }).nullish(),
});
/** A hosted page of a customer, and the items sold on it. */
export type OpenedPage = {
  id: string;
  status: string | null;
  subscriptionId: string | null;
  priceIds: string[];
  productIds: string[];
  givesTrial: boolean;
  request: string | null;
};
/** The key in Stripe's metadata for the page's request with an Idempotency-Key. */
const REQUEST_KEY = 'carelane_request';
/** The metadata key of a page that starts a trial, which Stripe does not report afterwards. */
const TRIAL_KEY = 'carelane_trial';
const LIST_LIMIT = 100;

type NewHostedCheckout = {
  customerId: string;
  patientId: string;
  priceIds: string[];
  trialDays: number | null;
  trialEnd: TrialEnd | undefined;
  successUrl: string;
  cancelUrl: string;
  allowPromotionCodes: boolean;
  clientReferenceId: string | null;
  request: string | null;
};

/** Stripe's hosted page. Stripe creates the subscription of the given customer once the page is paid. */
export function stripeCheckoutOf({ config, providers, keyed, pace }: ProviderContext) {
  const stripe = providers.stripe();
  const read = createStripeCall({ config, keyed, pace });
  return {
    open: (accountId: string, params: NewHostedCheckout, idempotencyKey: string | null): Promise<HostedCheckout> =>
      read(Session, () =>
        stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: params.customerId,
            line_items: params.priceIds.map((price) => ({ price, quantity: 1 })),
            success_url: params.successUrl,
            cancel_url: params.cancelUrl,
            ...(params.allowPromotionCodes && { allow_promotion_codes: true }),
            ...(params.clientReferenceId !== null && { client_reference_id: params.clientReferenceId }),
            metadata: {
              patient_id: params.patientId,
              ...(params.request && { [REQUEST_KEY]: params.request }),
              ...(params.trialDays !== null && { [TRIAL_KEY]: 'yes' }),
            },
            subscription_data: {
              metadata: { patient_id: params.patientId },
              ...trialOf(params),
            },
          },
          { stripeAccount: accountId, ...(idempotencyKey && { idempotencyKey }) },
        ),
      ),

    /** Pages since the instant, the newest first; a page lives for a day. */
    async opened(accountId: string, customer: string, since: Date): Promise<OpenedPage[]> {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      const wanted = { customer, created, limit: LIST_LIMIT, expand: ['data.line_items'] };
      const { data } = await read(z.object({ data: z.array(Opened) }), () =>
        stripe.checkout.sessions.list(wanted, { stripeAccount: accountId }),
      ).catch((error: unknown) => {
        // A deleted customer has none.
        if (error instanceof StripeRejection && error.reason === 'resource_missing') return { data: [] };
        throw error;
      });
      return data.map(({ id, status, subscription, metadata, line_items }) => ({
        id,
        status,
        subscriptionId: subscription ?? null,
        priceIds: (line_items?.data ?? []).flatMap(({ price }) => price?.id ?? []),
        productIds: (line_items?.data ?? []).flatMap(({ price }) => price?.product ?? []),
        givesTrial: metadata?.[TRIAL_KEY] !== undefined,
        request: metadata?.[REQUEST_KEY] ?? null,
      }));
    },

    /** Returns false if the page is no longer open: it was just paid, or has expired. */
    async expire(accountId: string, id: string): Promise<boolean> {
      try {
        await read(Session, () => stripe.checkout.sessions.expire(id, {}, { stripeAccount: accountId }));
        return true;
      } catch (error) {
        if (error instanceof StripeRejection) return false;
        throw error;
      }
    },
  };
}
