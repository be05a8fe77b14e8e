import type { Priority } from '#server/providers/request-budget.ts';
import type { SchedulingProvider } from '#server/providers/scheduling-provider.ts';
import { findAcuityAccount, notConnected } from './acuity-account.ts';
/** `accountId` is the provider's own id, which is stored with each appointment. */
export type SchedulingAccount = { provider: SchedulingProvider; accountId: string };
type Needs = Parameters<typeof findAcuityAccount>[0];

/** Returns the tenant's account at the scheduling provider, or null. `turn` is the priority of its calls. */
export const findSchedulingAccount: (ctx: Needs, turn?: Priority) => Promise<SchedulingAccount | null> =
  findAcuityAccount;

/**
 * Returns the tenant's account. `otherwise` is the part of the error that says what works without one.
 * @throws `integration_not_connected` (422)
 */
export async function getSchedulingAccount(
  ctx: Needs,
  turn?: Priority,
  otherwise?: string,
): Promise<SchedulingAccount> {
  const account = await findSchedulingAccount(ctx, turn);
  if (!account) throw notConnected(otherwise);
  return account;
}
