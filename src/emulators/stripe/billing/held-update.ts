import type { Invoice, Subscription } from '../objects.ts';

/** Whether a change waits for this invoice: then its failing leaves the subscription as it was. */
export const isHeldBy = (subscription: Subscription | undefined, invoice: Invoice): boolean =>
  subscription?._held?.invoice === invoice.id;

/** Makes the change that its invoice was for; the caller tells of it. Says whether anybody had been told that it waits. */
export function applyHeld(subscription: Subscription): boolean {
  const waited = subscription.pending_update !== null;
  Object.assign(subscription, subscription._held!.after);
  delete subscription._held;
  subscription.pending_update = null;
  return waited;
}
