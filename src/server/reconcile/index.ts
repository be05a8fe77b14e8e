export { reconcileAcuity } from './reconcile-acuity.ts';
export { reconcileAll } from './reconcile-all.ts';
export { reconcileStripe } from './reconcile-stripe.ts';
export { refreshSubscription } from './refresh-subscription.ts';
