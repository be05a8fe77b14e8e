import type { Subscription } from './api-types.ts';
import { callApi } from './call-api.ts';

const WAITS_MS = [300, 700, 1000, 1500, 2000, 3000, 4000];

/** The news of a payment reach the API a moment after the card was confirmed. */
export async function waitUntilSettled(id: string): Promise<Subscription> {
  const read = () => callApi<Subscription>('GET', `/subscriptions/${id}`);
  let subscription = await read();
  for (const wait of WAITS_MS) {
    if (subscription.next_action === 'none' && subscription.status !== 'incomplete') break;
    await new Promise((resolve) => setTimeout(resolve, wait));
    subscription = await read();
  }
  return subscription;
}
