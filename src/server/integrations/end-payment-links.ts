import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Ends the payment links of an account that is not connected any more. */
export async function endPaymentLinks(tx: Tx, { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>): Promise<void> {
  await tx.checkoutLink.updateMany({
    where: { tenantId, endedAt: null, completedAt: null },
    data: { token: null, endedAt: clock.now() },
  });
}
