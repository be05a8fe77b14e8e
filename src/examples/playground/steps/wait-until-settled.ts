import type { Subscription } from './api-types.ts';
import { readSubscription } from './load-subscription.ts';

const WAITS_MS = [300, 700, 1000, 1500, 2000, 3000, 4000];

/**
 * Waits until the API reports the payment, shortly after the card was confirmed.
 */
export async function waitUntilSettled(id: string): Promise<Subscription> {
  let subscription = await readSubscription(id);
  for (const wait of WAITS_MS) {
    if (subscription.next_action === 'none' && subscription.status !== 'incomplete')
      break;
    await new Promise((resolve) => setTimeout(resolve, wait));
    subscription = await readSubscription(id);
  }
  return subscription;
}
