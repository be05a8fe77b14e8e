import type { Invoice, Subscription } from '../objects.ts';

/** Returns true when an update waits for this invoice; if the payment fails, the subscription does not change. */
export const isPendingOn = (subscription: Subscription | undefined, invoice: Invoice): boolean =>
  subscription?._held?.invoice === invoice.id;

/**
 * Applies the update that its invoice paid for; the caller emits the event.
 * @returns true when the update had been reported as pending
 */
export function applyPendingUpdate(subscription: Subscription): boolean {
  const waited = subscription.pending_update !== null;
  Object.assign(subscription, subscription._held!.after);
  delete subscription._held;
  subscription.pending_update = null;
  return waited;
}
