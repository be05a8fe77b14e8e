import type { InvitationLinkView } from '#contract/patient-sign-in.ts';

/** Whose invitation a link is. Rejects with the API's error envelope under `data`. */
export async function askInvitation(token: string): Promise<InvitationLinkView> {
  const response = await fetch('/api/links/invitations.open', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: body });
  return body as InvitationLinkView;
}
