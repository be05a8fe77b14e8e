import type { CheckoutView } from '#contract/checkout-links.ts';
import { openLink } from './open-link.ts';

const WAITS_MS = [300, 700, 1000, 1500, 2000, 3000, 4000];

/** Polls until the payment has arrived; returns the last state when that takes too long. */
export async function waitUntilSettled(token: string): Promise<CheckoutView> {
  let view = await openLink(token);
  for (const wait of WAITS_MS) {
    if (view.next_action === 'none' && view.status !== 'incomplete') return view;
    await new Promise((resolve) => setTimeout(resolve, wait));
    view = await openLink(token);
  }
  return view;
}
