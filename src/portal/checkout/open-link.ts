import type { CheckoutView } from '#contract/subscriptions.ts';

/** What the link's token opens. Rejects with the API's error envelope under `data`, as the portal's calls do. */
export async function openLink(token: string): Promise<CheckoutView> {
  const response = await fetch('/api/links/checkout.open', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: body });
  return body as CheckoutView;
}
