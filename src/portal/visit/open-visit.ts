import type { VisitView } from '#contract/visits.ts';

/** What the link's token opens. Rejects with the API's error envelope under `data`. */
export async function openVisit(token: string): Promise<VisitView> {
  const response = await fetch('/api/links/visits.open', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: body });
  return body as VisitView;
}
