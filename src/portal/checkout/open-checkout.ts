import type { ErrorBody } from '#contract/errors.ts';
import type { CheckoutView } from '#contract/subscriptions.ts';

/** Trades a link's token for what there is to pay. Rejects in the shape that the faults are read from. */
export async function openCheckout(token: string): Promise<CheckoutView> {
  const response = await fetch('/api/links/checkout.open', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const body: unknown = await response.json();
  if (!response.ok) throw { data: body as ErrorBody };
  return body as CheckoutView;
}
