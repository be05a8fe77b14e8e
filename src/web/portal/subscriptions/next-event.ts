import type { PaymentView } from '#contract/payments.ts';
import { waitsForCard } from '#contract/subscription-status.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { FIRST_PAYMENT_MS, shownStatus } from './subscription.ts';

/** A sentence about the state, and the date of the next automatic event. */
export type NextEvent = { sentence: string; label: string | null; at: string | null; due: NextAmount };
/** Amount due then: Stripe's preview of the next bill, the rest of the last one, or none. */
export type NextAmount = { kind: 'next_bill' } | { kind: 'open'; amount: number; currency: string } | null;

/** State of a subscription and its next event, as far as they are known. `bill` is the open bill, if any. */
export function nextEvent(subscription: SubscriptionView, bill: PaymentView | null): NextEvent {
  const { cancel_at, ended_at, trial_end, current_period_end, created_at, payment_method } = subscription;
  const next = (
    sentence: string,
    label: string | null = null,
    at: string | null = null,
    due: NextAmount = null,
  ): NextEvent => ({
    ...{ sentence, label, at, due },
  });
  const { stripe_issue: issue } = subscription;
  if (issue === 'former_account')
    return next(
      'It belongs to a Stripe account that is not connected any more. What is billed there may not be seen here. Cancel it, and subscribe the patient again.',
    );
  const end = cancel_at ?? (subscription.cancel_at_period_end ? current_period_end : null);
  switch (shownStatus(subscription)) {
    case 'incomplete':
      return next(
        'It starts once the first payment has gone through.',
        'Without a payment it ends',
        new Date(Date.parse(subscription.current_period_start ?? created_at) + FIRST_PAYMENT_MS).toISOString(),
      );
    case 'trialing': {
      if (end && trial_end && Date.parse(end) <= Date.parse(trial_end))
        return next('The trial runs, and nothing is billed after it.', 'It ends', end);
      const suffix = end ? ' It is billed once, and ends after that.' : '';
      return payment_method
        ? next(`The trial runs. The card on file is charged when it is over.${suffix}`, 'First bill', trial_end, {
            kind: 'next_bill',
          })
        : next(
            'The trial runs, and no card is saved yet. The patient needs one before it is over.',
            'Trial ends',
            trial_end,
          );
    }
    case 'active':
      if (subscription.pause_collection) return paused(subscription.pause_collection, end, next);
      return end
        ? next('It is paid, and ends with what was paid. No new period is billed.', 'It ends', end)
        : next('It is paid and renews by itself.', 'Next bill', subscription.upcoming_invoice_date, {
            kind: 'next_bill',
          });
    case 'past_due':
      return bill?.next_attempt_at
        ? next('The last bill could not be paid. It is tried again by itself.', 'Next try', bill.next_attempt_at, {
            ...{ kind: 'open', amount: bill.amount_remaining, currency: bill.currency },
          })
        : next('The last bill could not be paid. The patient has to pay it or save another card.');
    case 'unpaid':
      return next('It was not paid, and is not tried again by itself. The patient has to pay what is open.');
    case 'paused':
      return next(
        waitsForCard(subscription)
          ? 'It is paused, as its trial ended without a card: nothing is billed. It goes on once the patient has saved a card.'
          : 'It is paused at Stripe: nothing is billed. It goes on once it is resumed there.',
      );
    case 'incomplete_expired':
      return next('It was never paid, and ended by itself.', 'Ended', ended_at);
    case 'canceled':
      if (subscription.replaced_by)
        return next('A promotion code was redeemed, and another subscription took its place.', 'Ended', ended_at);
      return issue === 'customer_deleted'
        ? next(
            'It has ended. The patient was deleted as a customer at Stripe, which ends subscriptions; a new subscription makes a new customer.',
            'Ended',
            ended_at,
          )
        : next('It has ended.', 'Ended', ended_at);
  }
}

const UNCOLLECTED = {
  keep_as_draft: 'Its bills are kept as drafts, and nothing is charged.',
  mark_uncollectible: 'Its bills are given up, and nothing is charged.',
  void: 'Its bills are void, and nothing is charged.',
};

/** Collection was paused at Stripe; the status stays active. */
function paused(
  { behavior, resumes_at }: NonNullable<SubscriptionView['pause_collection']>,
  end: string | null,
  next: (sentence: string, label?: string | null, at?: string | null) => NextEvent,
): NextEvent {
  const sentence = `Payments are paused at Stripe. ${UNCOLLECTED[behavior]}`;
  if (end) return next(sentence, 'It ends', end);
  return resumes_at
    ? next(sentence, 'Payments go on', resumes_at)
    : next(`${sentence} They go on once they are resumed there.`);
}

/** Warns that a plan which renews is no longer offered; null where all are, or until known. */
export function archivedPlanMessage(
  { items, upcoming_invoice_date, stripe_issue }: SubscriptionView,
  offered: ReadonlySet<string> | null,
): string | null {
  if (!offered || !upcoming_invoice_date || stripe_issue) return null;
  if (items.every(({ price_id }) => offered.has(price_id))) return null;
  return 'Its plan is no longer on offer at Stripe: it renews as before, and cannot be chosen any more. Change the plan to end that.';
}
