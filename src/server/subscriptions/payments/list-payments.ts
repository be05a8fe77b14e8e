import type { Page } from '#contract/conventions.ts';
import type { ListPaymentsInput, PaymentView } from '#contract/payments.ts';
import type { Prisma } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { beyondInstant, readPage } from '#server/core/paging.ts';
import { visibleTo } from '../records/subscription.ts';
import { loadPayment, presentPayment } from './sync-payments.ts';

/**
 * Lists payments, the latest bill first.
 * @throws `forbidden` (403) when a patient does not name itself in `patient_id`
 */
export async function listPayments(ctx: Context, input: ListPaymentsInput): Promise<Page<PaymentView>> {
  requireScope(ctx.actor, 'subscriptions:read');
  if (ctx.actor.kind === 'patient' && input.patient_id !== ctx.actor.patientId)
    throw apiError('forbidden', 'A patient lists its own payments only: set patient_id to your own id.', {
      source: { parameter: 'patient_id' },
    });
  const where: Prisma.PaymentWhereInput = {
    ...(input.patient_id && { patientId: input.patient_id }),
    ...(input.subscription_id && { subscriptionId: input.subscription_id }),
    ...(input.status && { status: { in: input.status } }),
    ...visibleTo(ctx.actor),
  };
  return readPage(
    input,
    {
      what: 'payment',
      async keyOf(id) {
        const row = await ctx.db.payment.findFirst({ where: { ...visibleTo(ctx.actor), id } });
        return row && { at: row.createdAt, id };
      },
      read({ backwards, limit, offset, beyond }) {
        const direction = backwards ? 'asc' : 'desc';
        return ctx.db.payment.findMany({
          where: beyond ? { AND: [where, beyondInstant('createdAt', beyond, backwards)] } : where,
          orderBy: [{ createdAt: direction }, { id: direction }],
          take: limit,
          skip: offset,
        });
      },
      count: (take) => ctx.db.payment.count({ where, ...(take && { take }) }),
    },
    presentPayment,
  );
}

/** Returns one payment as stored. */
export async function getPayment(ctx: Context, input: { id: string }): Promise<PaymentView> {
  requireScope(ctx.actor, 'subscriptions:read');
  return presentPayment(await loadPayment(ctx, input.id));
}
