import type { Turn } from '#server/providers/request-budget.ts';
import type { SchedulingProvider } from '#server/providers/scheduling-provider.ts';
import { findAcuityAccount } from './acuity-account.ts';
import { notConnected } from './scheduling-not-connected.ts';

/** `accountId`: the provider's own id, by which appointments remember where they are. */
export type SchedulingAccount = { provider: SchedulingProvider; accountId: string };
type Needs = Parameters<typeof findAcuityAccount>[0];

/** The tenant's account at the scheduling provider, or null when none is connected. `turn`: of its calls. */
export const findSchedulingAccount: (ctx: Needs, turn?: Turn) => Promise<SchedulingAccount | null> = findAcuityAccount;

/** The same, or 422 `integration_not_connected`. `otherwise`: what can be done without one. */
export async function getSchedulingAccount(ctx: Needs, turn?: Turn, otherwise?: string): Promise<SchedulingAccount> {
  const account = await findSchedulingAccount(ctx, turn);
  if (!account) throw notConnected(otherwise);
  return account;
}
