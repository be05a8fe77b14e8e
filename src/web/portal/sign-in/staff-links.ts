import type { StaffLinkView } from '#contract/team.ts';
import { createApiError, readApiErrors } from '#web/ui/api-errors.ts';

/** Rejects with the API's error envelope under `data`, as the portal's tRPC calls do. */
async function callStaffLinks<Result>(step: 'open' | 'use' | 'requestReset', body: object): Promise<Result> {
  const response = await fetch(`/api/links/staffLinks.${step}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
  });
  const result = await response.json();
  if (!response.ok) throw Object.assign(new Error(`the link answered ${response.status}`), { data: result });
  return result as Result;
}

export const openStaffLink = (token: string) => callStaffLinks<StaffLinkView>('open', { token });
export const redeemStaffLink = (input: { token: string; name?: string; password: string }) =>
  callStaffLinks('use', input);

const rateLimitError = () =>
  createApiError('rate_limited', 'Too many links were asked for at the moment. Try again in an hour.');

/**
 * Requests a reset link. After many requests for an account by unauthenticated clients, the server requires a proof of
 * work, which is solved automatically.
 */
export async function requestReset(input: { email: string }): Promise<void> {
  try {
    await callStaffLinks('requestReset', input);
  } catch (error) {
    const { readWork, solve } = await import('#sdk/proof-of-work.ts');
    const work = readWork(readApiErrors(error)[0].meta);
    if (!work) throw error;
    const proof_of_work = await solve(work).catch(() => Promise.reject(rateLimitError()));
    await callStaffLinks('requestReset', { ...input, proof_of_work });
  }
}
