/** Rejects with the API's error envelope under `data`, as the portal's calls do. */
export async function reopenSignIn(token: string): Promise<void> {
  const response = await fetch('/api/links/signIn.reopen', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    cache: 'no-store',
  });
  if (!response.ok)
    throw Object.assign(new Error(`the link answered ${response.status}`), { data: await response.json() });
}
