export { cancelSubscription } from './cancel/cancel-subscription.ts';
export { sendCheckoutMail } from './checkout/checkout-mail.ts';
export { type Intent, isInProgress, resolveSubscription } from './create/intent.ts';
export { listLiveSubscriptions } from './create/list-live-subscriptions.ts';
export { syncPayments } from './payments/sync-payments.ts';
export { exportSubscriptions } from './records/export-subscriptions.ts';
export { changedFacts, ENDED, type Facts, factsOf, subscriptionColumns } from './records/subscription.ts';
export { applyStripeEvents, processStripeEvent, storeNewSubscription } from './stripe-events/apply-stripe-events.ts';
export { syncSubscription } from './sync/sync-subscription.ts';
