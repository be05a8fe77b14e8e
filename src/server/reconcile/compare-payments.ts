import { DAY, HOUR } from '#server/core/clock.ts';
import { CarelaneError, type ErrorCode } from '#server/core/errors.ts';
import { stripePaymentsOf } from '#server/providers/stripe-payments.ts';
import { syncPayments } from '#server/subscriptions/payments/sync-payments.ts';
import type { Step } from './step.ts';

/** Maximum number of subscriptions per comparison that are read because their last bill differs. */
const MOST_BEHIND = 10;
/** Refunds and disputes older than this are not listed. */
const LOOK_BACK = 30 * DAY;
/** Covers clock differences. */
const OVERLAP = HOUR;
/** Errors of the whole account or of the connection: the step ends, and the next comparison tries again. */
const STOPPING = new Set<ErrorCode>(['integration_not_connected', 'provider_unavailable', 'provider_timeout']);

/**
 * Finds payments, refunds and disputes that neither a webhook nor the list of events has reported: compares the
 * account's refunds and disputes since the last comparison, and the last bill of each subscription, with the stored
 * rows.
 */
export async function comparePayments(step: Step): Promise<void> {
  const comparedAt = new Date(step.ctx.clock.now().getTime() - step.stepMs);
  const givenBack = await givenBackUnseen(step);
  let isComplete = true;
  for (const id of new Set([...givenBack, ...(await billedUnseen(step))])) {
    const isRead = await readPayments(step, id);
    if (!isRead && givenBack.includes(id)) isComplete = false;
    await step.keep({});
  }
  if (isComplete) await step.keep({ paymentsComparedAt: comparedAt });
}

/**
 * Returns false when Stripe rejects the read or its response is invalid; the subscription then moves to the end of the
 * queue.
 */
async function readPayments({ ctx }: Step, id: string): Promise<boolean> {
  try {
    await syncPayments(ctx, id, { found: 'comparison' });
    return true;
  } catch (error) {
    if (!(error instanceof CarelaneError) || STOPPING.has(error.code)) throw error;
    const { tenantId } = ctx;
    ctx.log.warn({ tenantId, subscription: id, err: error.message }, 'the payments of a subscription cannot be read');
    await ctx.db.$executeRaw`
      update subscriptions set payments_checked_at = ${ctx.clock.now()}::timestamptz
      where tenant_id = ${tenantId}::uuid and id = ${id}`;
    return false;
  }
}

/** Subscriptions with a refund or dispute that the stored rows lack or have with another status. */
async function givenBackUnseen({ ctx, accountId, state, stepMs }: Step): Promise<string[]> {
  const now = ctx.clock.now().getTime();
  const from = Math.max((state.paymentsComparedAt?.getTime() ?? 0) - OVERLAP, now - LOOK_BACK);
  const listed = await stripePaymentsOf(ctx, accountId).givenBackSince(new Date(from));
  // The webhook of the latest ones may be on its way.
  const settled = listed.filter(({ createdAt }) => createdAt.getTime() <= now - stepMs);
  const rows = await ctx.db.payment.findMany({
    where: {
      tenantId: ctx.tenantId,
      accountId,
      paymentIntentIds: { hasSome: settled.map(({ paymentIntentId }) => paymentIntentId) },
    },
  });
  return rows
    .filter(({ paymentIntentIds, refunds, disputes }) => {
      const kept = [refunds, disputes].flat() as { id: string; status: string }[];
      return settled.some(
        (one) =>
          paymentIntentIds.includes(one.paymentIntentId) &&
          !kept.some(({ id, status }) => id === one.id && status === one.status),
      );
    })
    .map(({ subscriptionId }) => subscriptionId);
}

/**
 * Subscriptions whose last bill is missing or has another status, least recently checked first. An ended one is checked
 * once.
 */
async function billedUnseen({ ctx, accountId, stepMs }: Step): Promise<string[]> {
  const settled = new Date(ctx.clock.now().getTime() - stepMs);
  const rows = await ctx.db.$queryRaw<{ id: string }[]>`
    select s.id from subscriptions s
    left join payments p on p.tenant_id = s.tenant_id and p.id = s.latest_invoice->>'id'
    where s.tenant_id = ${ctx.tenantId}::uuid and s.account_id = ${accountId}
      and (s.latest_invoice->>'amount_due')::bigint > 0 and s.latest_invoice->>'status' <> 'draft'
      and p.status is distinct from s.latest_invoice->>'status'
      and s.updated_at <= ${settled}::timestamptz
      and (s.payments_checked_at is null or s.payments_checked_at < s.checked_at)
    order by s.payments_checked_at nulls first, s.id limit ${MOST_BEHIND}`;
  return rows.map(({ id }) => id);
}
