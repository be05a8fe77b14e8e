/**
 * Calls a step of a page that is opened from a link; the token is the only credential. Rejects with the API's error
 * envelope under `data`.
 */
export async function callLinkApi<View>(step: string, token: string, more: object = {}): Promise<View> {
  const response = await fetch(`/api/links/${step}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...more }),
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: body });
  return body as View;
}
