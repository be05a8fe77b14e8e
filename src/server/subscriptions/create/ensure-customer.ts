import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { retryReplayedFailure } from './retry-replayed-failure.ts';

/**
 * The patient's one customer at the processor. Whoever comes first makes it: the idempotency key is the patient's and
 * the account's, the parameters never vary, and the row is unique, so any number of simultaneous calls end with one.
 */
export async function ensureCustomer(ctx: Context, patient: Patient, accountId: string): Promise<string> {
  const id = { tenantId: ctx.tenantId, patientId: patient.id, accountId };
  const known = await ctx.db.processorCustomer.findFirst({ where: id });
  if (known) return known.customerId;
  const stripe = stripeOf(ctx);
  const made = await retryReplayedFailure(`carelane-customer-${patient.id}-${accountId}`, (key) =>
    stripe.createCustomer(accountId, patient.id, key),
  );
  const { count } = await ctx.db.processorCustomer.createMany({
    data: [{ ...id, customerId: made.id }],
    skipDuplicates: true,
  });
  if (count > 0) await nameCustomer(ctx, patient, accountId, made.id);
  const { customerId } = await ctx.db.processorCustomer.findFirstOrThrow({ where: id });
  return customerId;
}

/** Name and address for receipts; without them everything else works. */
async function nameCustomer(ctx: Context, patient: Patient, accountId: string, customerId: string): Promise<void> {
  const name = [patient.firstName, patient.lastName].filter(Boolean).join(' ') || null;
  try {
    await stripeOf(ctx).updateCustomer(accountId, customerId, { email: patient.email, name });
  } catch (error) {
    ctx.log.warn({ customerId, err: (error as Error).message }, 'the customer has no name at the processor yet');
  }
}
