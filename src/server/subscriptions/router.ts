import { z } from 'zod';
import { CreateCheckoutLinkInput, ListCheckoutLinksInput } from '#contract/checkout-links.ts';
import { CreateCheckoutSessionInput } from '#contract/checkout-sessions.ts';
import { AttachSubscriptionInput, ListUnknownSubscriptionsInput } from '#contract/integrations.ts';
import {
  ChangeManagedInput,
  CreateManageLinkInput,
  ManageInput,
  PreviewManagedInput,
  RedeemCodeInput,
  UseCardInput,
} from '#contract/managed-subscription.ts';
import { ListPaymentsInput, PaymentIdInput, RefundPaymentInput } from '#contract/payments.ts';
import { PreviewSubscriptionInput, UpdateSubscriptionInput } from '#contract/subscription-changes.ts';
import {
  CancelSubscriptionInput,
  CreateSubscriptionInput,
  ListSubscriptionsInput,
  SendCheckoutLinksInput,
  SubscriptionIdInput,
} from '#contract/subscriptions.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { cancelSubscription } from './cancel/cancel-subscription.ts';
import { previewChange } from './change/preview-change.ts';
import { updateSubscription } from './change/update-subscription.ts';
import { createCheckoutLink, sendCheckoutLinks } from './checkout/create-checkout-link.ts';
import { listCheckoutLinks } from './checkout/list-checkout-links.ts';
import { openCheckout } from './checkout/open-checkout.ts';
import { redeemCode, redeemSubscriptionCode } from './checkout/redeem-code.ts';
import { createCheckoutSession } from './create/create-checkout-session.ts';
import { createSubscription } from './create/create-subscription.ts';
import { createManageLink } from './manage/create-manage-link.ts';
import {
  cancelManagedSubscription,
  changeManagedPlan,
  getManagedSubscription,
  previewManagedChange,
  startManagedCardSetup,
  undoManagedCancellation,
  useManagedCard,
} from './manage/managed-subscription.ts';
import { getPayment, listPayments } from './payments/list-payments.ts';
import { refundPayment } from './payments/refund-payment.ts';
import { syncPayments } from './payments/sync-payments.ts';
import { listSubscriptions } from './records/list-subscriptions.ts';
import { attachSubscription, ignoreUnknownSubscription, listUnknownSubscriptions } from './sync/attach-subscription.ts';
import { getSubscription } from './sync/get-subscription.ts';

export { receiveStripeWebhook } from './stripe-events/receive-stripe-webhook.ts';

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
    .mutation(({ ctx, input: { promotion_code, ...input } }) =>
      promotion_code === undefined
        ? updateSubscription(ctx, input)
        : redeemSubscriptionCode(ctx, { ...input, promotion_code }, createSubscription),
    ),
  preview: patientData('Subscription')
    .input(PreviewSubscriptionInput)
    .query(({ ctx, input }) => previewChange(ctx, input)),
  createCheckoutLink: patientData('Subscription')
    .input(CreateCheckoutLinkInput)
    .mutation(({ ctx, input }) => createCheckoutLink(ctx, input)),
  createManageLink: patientData('Subscription')
    .input(CreateManageLinkInput)
    .mutation(({ ctx, input }) => createManageLink(ctx, input)),
  sendCheckoutLinks: patientData('Subscription')
    .input(SendCheckoutLinksInput)
    .mutation(({ ctx, input }) => sendCheckoutLinks(ctx, input)),
  createCheckoutSession: patientData('Patient')
    .input(CreateCheckoutSessionInput)
    .mutation(({ ctx, input }) => createCheckoutSession(ctx, input)),
  listUnknown: noPatient
    .input(ListUnknownSubscriptionsInput)
    .query(({ ctx, input }) => listUnknownSubscriptions(ctx, input)),
  attach: patientData('Subscription')
    .input(AttachSubscriptionInput)
    .mutation(({ ctx, input }) => attachSubscription(ctx, input)),
  leaveAlone: noPatient.input(SubscriptionIdInput).mutation(({ ctx, input }) => ignoreUnknownSubscription(ctx, input)),
  listCheckoutLinks: patientData('Subscription')
    .input(ListCheckoutLinksInput)
    .query(({ ctx, input }) => listCheckoutLinks(ctx, input)),
});

export const paymentsRouter = router({
  list: patientData('Payment')
    .input(ListPaymentsInput)
    .query(({ ctx, input }) => listPayments(ctx, input)),
  get: patientData('Payment')
    .input(PaymentIdInput)
    .query(({ ctx, input }) => getPayment(ctx, input)),
  refund: patientData('Payment')
    .input(RefundPaymentInput)
    .mutation(({ ctx, input }) => refundPayment(ctx, input)),
});

/** Procedures for a visitor who opens a checkout link. */
export const checkoutRouter = router({
  open: patientData('Subscription')
    .input(z.strictObject({ token: z.string().max(200) }))
    .query(({ ctx, input }) => openCheckout(ctx, input, createSubscription)),
  redeemCode: patientData('Subscription')
    .input(RedeemCodeInput)
    .mutation(async ({ ctx, input }) => {
      await redeemCode(ctx, input, createSubscription);
      return openCheckout(ctx, { token: input.token }, createSubscription);
    }),
});

/** The use cases with which the page behind a manage link acts as the patient. */
const OWN = {
  payments: listPayments,
  readBills: syncPayments,
  preview: previewChange,
  update: updateSubscription,
  cancel: cancelSubscription,
};

/** Procedures for a visitor who opens a manage link. */
export const manageRouter = router({
  open: patientData('Subscription', { action: 'manage_links.open' })
    .input(ManageInput)
    .query(({ ctx, input }) => getManagedSubscription(ctx, input, OWN)),
  preview: patientData('Subscription', { action: 'manage_links.preview' })
    .input(PreviewManagedInput)
    .query(({ ctx, input }) => previewManagedChange(ctx, input, OWN)),
  change: patientData('Subscription', { action: 'manage_links.change' })
    .input(ChangeManagedInput)
    .mutation(({ ctx, input }) => changeManagedPlan(ctx, input, OWN)),
  cancel: patientData('Subscription', { action: 'manage_links.cancel' })
    .input(ManageInput)
    .mutation(({ ctx, input }) => cancelManagedSubscription(ctx, input, OWN)),
  undo: patientData('Subscription', { action: 'manage_links.undo' })
    .input(ManageInput)
    .mutation(({ ctx, input }) => undoManagedCancellation(ctx, input, OWN)),
  startCard: patientData('Subscription', { action: 'manage_links.start_card' })
    .input(ManageInput)
    .mutation(({ ctx, input }) => startManagedCardSetup(ctx, input)),
  useCard: patientData('Subscription', { action: 'manage_links.use_card' })
    .input(UseCardInput)
    .mutation(({ ctx, input }) => useManagedCard(ctx, input, OWN)),
});
