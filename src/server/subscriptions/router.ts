import { z } from 'zod';
import {
  CancelSubscriptionInput,
  CreateCheckoutLinkInput,
  CreateSubscriptionInput,
  ListCheckoutLinksInput,
  ListSubscriptionsInput,
  SubscriptionIdInput,
} from '#contract/subscriptions.ts';
import { procedure, router } from '#server/core/trpc.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { createCheckoutLink } from './create-checkout-link.ts';
import { createSubscription } from './create-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { listCheckoutLinks } from './list-checkout-links.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { openCheckout } from './open-checkout.ts';

export { receiveStripeWebhook } from './receive-stripe-webhook.ts';

export const subscriptionsRouter = router({
  list: procedure.input(ListSubscriptionsInput).query(({ ctx, input }) => listSubscriptions(ctx, input)),
  create: procedure.input(CreateSubscriptionInput).mutation(({ ctx, input }) => createSubscription(ctx, input)),
  get: procedure.input(SubscriptionIdInput).query(({ ctx, input }) => getSubscription(ctx, input)),
  cancel: procedure.input(CancelSubscriptionInput).mutation(({ ctx, input }) => cancelSubscription(ctx, input)),
  createCheckoutLink: procedure
    .input(CreateCheckoutLinkInput)
    .mutation(({ ctx, input }) => createCheckoutLink(ctx, input)),
  listCheckoutLinks: procedure.input(ListCheckoutLinksInput).query(({ ctx, input }) => listCheckoutLinks(ctx, input)),
});

/** For the visitor with a link. */
export const checkoutRouter = router({
  open: procedure
    .input(z.strictObject({ token: z.string().max(200) }))
    .query(({ ctx, input }) => openCheckout(ctx, input)),
});
