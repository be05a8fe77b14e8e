import { z } from 'zod';
import { PreviewSubscriptionInput, UpdateSubscriptionInput } from '#contract/subscription-changes.ts';
import {
  CancelSubscriptionInput,
  CreateCheckoutLinkInput,
  CreateSubscriptionInput,
  ListCheckoutLinksInput,
  ListSubscriptionsInput,
  SubscriptionIdInput,
} from '#contract/subscriptions.ts';
import { patientData, router } from '#server/core/trpc.ts';
import { cancelSubscription } from './cancel/cancel-subscription.ts';
import { previewChange } from './change/preview-change.ts';
import { updateSubscription } from './change/update-subscription.ts';
import { createCheckoutLink } from './checkout/create-checkout-link.ts';
import { listCheckoutLinks } from './checkout/list-checkout-links.ts';
import { openCheckout } from './checkout/open-checkout.ts';
import { createSubscription } from './create/create-subscription.ts';
import { listSubscriptions } from './records/list-subscriptions.ts';
import { getSubscription } from './sync/get-subscription.ts';

export { receiveStripeWebhook } from './stripe-events/stripe-webhook.ts';

export const subscriptionsRouter = router({
  list: patientData('Subscription')
    .input(ListSubscriptionsInput)
    .query(({ ctx, input }) => listSubscriptions(ctx, input)),
  create: patientData('Subscription')
    .input(CreateSubscriptionInput)
    .mutation(({ ctx, input }) => createSubscription(ctx, input)),
  get: patientData('Subscription')
    .input(SubscriptionIdInput)
    .query(({ ctx, input }) => getSubscription(ctx, input)),
  cancel: patientData('Subscription')
    .input(CancelSubscriptionInput)
    .mutation(({ ctx, input }) => cancelSubscription(ctx, input)),
  update: patientData('Subscription')
    .input(UpdateSubscriptionInput)
    .mutation(({ ctx, input }) => updateSubscription(ctx, input)),
  preview: patientData('Subscription')
    .input(PreviewSubscriptionInput)
    .query(({ ctx, input }) => previewChange(ctx, input)),
  createCheckoutLink: patientData('Subscription')
    .input(CreateCheckoutLinkInput)
    .mutation(({ ctx, input }) => createCheckoutLink(ctx, input)),
  listCheckoutLinks: patientData('Subscription')
    .input(ListCheckoutLinksInput)
    .query(({ ctx, input }) => listCheckoutLinks(ctx, input)),
});

/** For the visitor with a link. */
export const checkoutRouter = router({
  open: patientData('Subscription')
    .input(z.strictObject({ token: z.string().max(200) }))
    .query(({ ctx, input }) => openCheckout(ctx, input)),
});
