import type { StripeReconcile } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { CarelaneError } from '#server/core/errors.ts';

/** What a step works with: whose account, how far it has come, and how it keeps that. */
export type Step = {
  ctx: Context;
  accountId: string;
  /** The row as long as this runner has its lease. */
  where: { tenantId: string; accountId: string; runner: string };
  state: StripeReconcile;
  /** Between two steps. */
  stepMs: number;
  /** Writes how far it has come, and prolongs the lease. Throws when another has taken over. */
  keep(data: Prisma.StripeReconcileUpdateManyMutationInput): Promise<void>;
};

/**
 * Logs why a step ended early; the next one tries again.
 * @returns what is stored of it
 */
export function noteTrouble({ log, tenantId }: Pick<Context, 'log' | 'tenantId'>, error: unknown): string {
  if (error instanceof CarelaneError) {
    log.warn({ tenantId, err: error.message }, 'a step of a comparison ended early');
    return error.message.slice(0, 1000);
  }
  log.error({ tenantId, err: (error as Error).stack }, 'a step of a comparison failed');
  return 'internal_error: The service failed at this step; its log says why.';
}
