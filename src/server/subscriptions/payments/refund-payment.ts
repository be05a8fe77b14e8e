import type { PaymentView, RefundPaymentInput } from '#contract/payments.ts';
import type { Payment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { duplicatesSince, requestFingerprint } from '#server/core/duplicate-request.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { retryReplayedFailure, StripeFailure, StripeRejection } from '#server/providers/stripe-errors.ts';
import type { StripeDispute, StripeRefund } from '#server/providers/stripe-payments.ts';
import { requestChange } from '../sync/sync-subscription.ts';
import { loadPayment, presentPayment, syncPayments } from './sync-payments.ts';

/**
 * Refunds a payment: the remaining amount, or `amount`. Not for patients. Idempotent per Idempotency-Key, also after a
 * lost response; without a key an equal request within ten minutes is the same refund, as long as anything is left.
 * @throws `invalid_parameter` (422) above the remaining amount
 * @throws `conflict` (409) when nothing is left, nothing was paid, or the payment is disputed
 */
export async function refundPayment(ctx: Context, input: RefundPaymentInput): Promise<PaymentView> {
  requireScope(ctx.actor, 'payments:refund', { patients: false });
  const { subscriptionId } = await loadPayment(ctx, input.id);
  const own = ctx.keyed ? { request: ctx.keyed.id } : {};
  await syncPayments(ctx, subscriptionId, own);
  const payment = await loadPayment(ctx, input.id);
  const fingerprint = requestFingerprint(ctx, 'payments.refund', input).slice(0, 40);
  const earlier = earlierRefund(ctx, payment, fingerprint);
  if (earlier) {
    ctx.onReplay();
    return presentPayment(payment);
  }
  const amount = amountOf(payment, input);
  // The number of earlier refunds is part of the key, so an equal request made later is another refund.
  const request = ctx.keyed?.id ?? `${fingerprint}-${refundsOf(payment).length}`;
  await refundAtStripe(ctx, payment, { amount, reason: input.reason ?? null, request });
  await syncPayments(ctx, subscriptionId, { request });
  return presentPayment(await loadPayment(ctx, input.id));
}

const refundsOf = ({ refunds }: Payment) => refunds as StripeRefund[];
const remainingAmount = ({ amountPaid, amountRefunded }: Payment): number => Number(amountPaid - amountRefunded);

/** The refund that the same request has led to already. */
function earlierRefund(ctx: Context, payment: Payment, fingerprint: string): StripeRefund | undefined {
  const { keyed } = ctx;
  if (keyed) return refundsOf(payment).find(({ request }) => request === keyed.id);
  if (remainingAmount(payment) === 0) return undefined;
  return refundsOf(payment).find(
    ({ request, created_at }) => request?.startsWith(`${fingerprint}-`) && new Date(created_at) >= duplicatesSince(ctx),
  );
}

/** True when the bank has withdrawn the money, or may do so. */
const isContested = ({ status }: StripeDispute): boolean => status !== 'won' && !status.startsWith('warning_');
const disputedError = () => apiError('conflict', 'This payment is disputed: the bank decides who gets the money.');
const fullyRefundedError = () => apiError('conflict', 'This payment has been refunded already, all of it.');
const amountError = (detail: string): CarelaneError =>
  apiError('invalid_parameter', detail, { source: { pointer: '/amount' } });

/** The amount to refund, or an error. */
function amountOf(payment: Payment, { amount }: RefundPaymentInput): number {
  const { status, amountPaid, paymentIntentIds, disputes } = payment;
  if (status !== 'paid' || amountPaid === 0n || paymentIntentIds.length === 0)
    throw apiError('conflict', 'Nothing was paid here by card, so there is nothing to refund.');
  if ((disputes as StripeDispute[]).some(isContested)) throw disputedError();
  const remaining = remainingAmount(payment);
  if (remaining <= 0) throw fullyRefundedError();
  if (amount !== undefined && amount > remaining)
    throw amountError(`No more than ${remaining} (in minor units of ${payment.currency}) is left to refund.`);
  return amount ?? remaining;
}

type RefundRequest = { amount: number; reason: RefundPaymentInput['reason'] | null; request: string };

async function refundAtStripe(
  ctx: Context,
  payment: Payment,
  { amount, reason, request }: RefundRequest,
): Promise<void> {
  const { accountId, subscriptionId } = payment;
  const stripe = ctx.providers.stripeClient(ctx).payments(accountId);
  const [paymentIntentId] = payment.paymentIntentIds;
  if (!paymentIntentId) throw new Error('a paid bill has a payment');
  const refund = { paymentIntentId, amount, reason: reason ?? null, request };
  const change = {
    id: request,
    action: 'payments.refund' as const,
    details: { payment_id: payment.id, amount },
    facts: [],
  };
  await requestChange(ctx, subscriptionId, change, () =>
    retryReplayedFailure(
      `carelane-refund-${request}`,
      (key) => stripe.refund(refund, key),
      () => stripe.refundOf(paymentIntentId, request),
    ).catch((error: unknown) => {
      throw error instanceof StripeRejection ? toApiError(error) : error;
    }),
  ).catch(async (error: unknown) => {
    if (error instanceof StripeFailure) await queueRefresh(ctx, subscriptionId);
    throw error;
  });
}

/** Maps errors caused by changes at Stripe since the payment was read. */
function toApiError(error: StripeRejection): CarelaneError {
  if (error.reason === 'charge_already_refunded') return fullyRefundedError();
  if (error.reason === 'charge_disputed') return disputedError();
  if (error.param === 'amount') return amountError('This is more than what is left to refund.');
  return error;
}

/** The outcome is unknown: a job reads it in case no webhook arrives. */
const queueRefresh = ({ db, tenantId, clock }: Context, subscriptionId: string): Promise<void> =>
  enqueue(
    db,
    'refresh_subscription',
    { tenantId, subscriptionId },
    {
      runAt: new Date(clock.now().getTime() + MINUTE),
      key: `refresh_subscription:${subscriptionId}`,
      keepEarlier: true,
    },
  );
