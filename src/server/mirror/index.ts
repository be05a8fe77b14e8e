export { fillMonth } from './fill-month.ts';
export {
  AVAILABILITY_TIMEOUT_MS,
  fillDays,
  knownDays,
  RENEWED_TENANTS,
  reportAge,
  type WantedDays,
  withTimeout,
} from './known-days.ts';
export { invalidateDays, invalidateOffers, isKnown, type KnownDay, readDays, wasOffered } from './mirrored-days.ts';
