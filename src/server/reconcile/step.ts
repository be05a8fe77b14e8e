import type { StripeReconcile } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { CarelaneError } from '#server/core/errors.ts';

/** The context of a step: the account, its progress and how to store it. */
export type Step = {
  ctx: Context;
  accountId: string;
  /** Matches the row while this runner has the lease. */
  where: { tenantId: string; accountId: string; runner: string };
  state: StripeReconcile;
  /** Milliseconds between two steps. */
  stepMs: number;
  /** Stores the progress and renews the lease; throws when another runner has taken over. */
  save(data: Prisma.StripeReconcileUpdateManyMutationInput): Promise<void>;
};

/**
 * Logs why a step ended early; the next one tries again.
 * @returns the text to store as the last error
 */
export function logStepError({ log, tenantId }: Pick<Context, 'log' | 'tenantId'>, error: unknown): string {
  if (error instanceof CarelaneError) {
    log.warn({ tenantId, err: error.message }, 'a step of a comparison ended early');
    return error.message.slice(0, 1000);
  }
  log.error({ tenantId, err: (error as Error).stack }, 'a step of a comparison failed');
  return 'internal_error: The service failed at this step; its log says why.';
}
