export { checkStripe, runAcuityCheck } from './check-integration.ts';
export { connectAcuity } from './connect-acuity.ts';
export { connectStripe } from './connect-stripe.ts';
export { inspectAcuity, recordAcuitySilence, registerAcuityWebhook } from './inspect-acuity.ts';
export { inspectStripe, recordStripeSilence, refreshStripeAccount } from './inspect-stripe.ts';
export { saveCheck } from './integration.ts';
export {
  type AcuityAccount,
  findAcuityAccount,
  findSchedulingAccount,
  getSchedulingAccount,
  invalidateCatalogue,
  recordSchedulingRepair,
  type SchedulingAccount,
  typeMisconfigured,
} from './scheduling-account.ts';
export {
  deleteUnknownSubscription,
  type FoundBy,
  findAccountCurrency,
  findStripeAccount,
  getBillingSettings,
  getStripeAccount,
  hasGrace,
  isFormerAccountError,
  isStripeAccessError,
  paymentClientOf,
  presentUnknownSubscription,
  queueStripeEvents,
  recordStripeRepair,
  saveUnknownSubscription,
  TRIAL_KEY,
  trialDays,
  updateGrace,
} from './stripe-account.ts';
export { isRelevantEvent, storeEvent } from './stripe-inbound.ts';
