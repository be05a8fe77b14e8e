import type { StaffLinkView } from '#contract/team.ts';

/** Rejects with the API's error envelope under `data`, as the portal's calls do. */
async function ask<Answer>(step: 'open' | 'use' | 'requestReset', body: object): Promise<Answer> {
  const response = await fetch(`/api/links/staffLinks.${step}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: answer });
  return answer as Answer;
}

export const openStaffLink = (token: string) => ask<StaffLinkView>('open', { token });
export const spendStaffLink = (given: { token: string; name?: string; password: string }) => ask('use', given);
export const requestReset = (given: { email: string }) => ask('requestReset', given);
