import type { StaffLinkView } from '#contract/team.ts';
import { createApiError, readApiErrors } from '#web/ui/api-errors.ts';

/** Rejects with the API's error envelope under `data`, as the portal's tRPC calls do. */
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
export const redeemStaffLink = (given: { token: string; name?: string; password: string }) => ask('use', given);

const tooMany = () =>
  createApiError('rate_limited', 'Too many links were asked for at the moment. Try again in an hour.');

/**
 * Requests a reset link. After many requests for an account by unauthenticated clients, the server requires a proof of
 * work, which is solved automatically.
 */
export async function requestReset(given: { email: string }): Promise<void> {
  try {
    await ask('requestReset', given);
  } catch (error) {
    const { readWork, solve } = await import('#sdk/proof-of-work.ts');
    const work = readWork(readApiErrors(error)[0].meta);
    if (!work) throw error;
    const proof_of_work = await solve(work).catch(() => Promise.reject(tooMany()));
    await ask('requestReset', { ...given, proof_of_work });
  }
}
