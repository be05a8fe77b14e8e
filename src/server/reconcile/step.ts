import type { StripeReconcile } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';

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
