export {
  assertNoDuplicate,
  assertTrialAvailable,
  duplicateError,
  expireCheckoutPages,
  findDuplicates,
  findUsedTrials,
  inBody,
  inQuery,
  lockPatient,
  type PricesAt,
  type Purchase,
  pendingDuplicateError,
  pricesOf,
  type TrialClaim,
  trialClaimOf,
  type Unique,
} from './duplicates.ts';
export {
  appliesTo,
  findPromotion,
  getOfferedPlans,
  hasPaid,
  invalidatePlans,
  isAvailableTo,
  loadPlans,
} from './plan.ts';
export { listPlans } from './router.ts';
