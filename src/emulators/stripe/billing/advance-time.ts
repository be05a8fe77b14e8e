import type { World } from '../../core/route.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import type { CheckoutSession, Dispute, Invoice, Refund, Subscription } from '../objects.ts';
import type { StripeEmulatorOptions } from '../options.ts';
import type { StripeState } from '../state.ts';
import { accountData } from '../state.ts';
import { advanceInvoice, collectInvoice } from './advance-invoice.ts';
import { HOUR } from './calendar.ts';
import { expireIncomplete } from './cancel-subscription.ts';
import { expireCheckout } from './checkout.ts';
import { missEvidence } from './disputes.ts';
import { endSubscription } from './lifecycle.ts';
import { resumeCollection } from './pause-subscription.ts';
import { discardUpdate } from './pending-update.ts';
import { settleRefund } from './refunds.ts';
import { renewSubscription } from './renew-subscription.ts';
import { announceTrialEnd, endTrial, trialNoticeAt } from './trial.ts';

/** An unpaid first payment expires after 23 hours (Stripe, "How subscriptions work"). */
const INCOMPLETE_TTL = 23 * HOUR;
/** Guards against an endless loop, per subscription: a year of daily renewals takes about 1000 rounds. */
const ROUNDS_PER_SUBSCRIPTION = 5000;

interface DueTask {
  at: number;
  act(ledger: Ledger): void;
}

/**
 * Processes everything that is due in an account, in order: for customers of `testClock`, or for those without one.
 * @returns true when anything was due
 */
export function advanceTime(
  world: World<StripeState>,
  options: StripeEmulatorOptions,
  accountId: string,
  until: number,
  testClock: string | null = null,
): boolean {
  const { objects } = accountData(world.state, accountId);
  const clockOf = (customer: string | null) => objects.customer[customer ?? '']?.test_clock ?? null;
  const rounds = ROUNDS_PER_SUBSCRIPTION * Math.max(1, Object.keys(objects.subscription).length);
  for (let round = 0; round < rounds; round++) {
    const tasks = [
      ...Object.values(objects.subscription)
        .filter((object) => object.test_clock === testClock)
        .flatMap(subscriptionDue),
      ...Object.values(objects.invoice)
        .filter((object) => object.test_clock === testClock)
        .flatMap(invoiceDue),
      ...Object.values(objects.refund ?? {})
        .filter((object) => clockOf(object.customer) === testClock)
        .flatMap(refundDue),
      ...Object.values(objects.dispute ?? {})
        .filter((object) => clockOf(object._customer as string | null) === testClock)
        .flatMap(disputeDue),
      // Checkout Sessions use real time, regardless of their customer's test clock.
      ...(testClock === null ? Object.values(objects.checkout_session).flatMap(checkoutDue) : []),
    ].filter(({ at }) => at <= until);
    const [earliest] = tasks.sort((a, b) => a.at - b.at);
    if (!earliest) return round > 0;
    // Each round processes only the earliest instant: its effects may be due before the rest.
    for (const { act } of tasks.filter(({ at }) => at === earliest.at))
      act(openLedger(world, options, accountId, null, earliest.at));
  }
  throw new Error(`More than ${rounds} moments became due at once in ${accountId}`);
}

function subscriptionDue(subscription: Subscription): DueTask[] {
  const { cancel_at, created, pause_collection, status, trial_end, _period, _trial_end_announced } = subscription;
  const tasks: DueTask[] = [];
  if (status === 'incomplete')
    tasks.push({ at: created + INCOMPLETE_TTL, act: (ledger) => expireIncomplete(ledger, subscription) });
  if (!['trialing', 'active', 'past_due', 'unpaid'].includes(status)) return tasks;
  if (pause_collection?.resumes_at)
    tasks.push({ at: pause_collection.resumes_at, act: (ledger) => resumeCollection(ledger, subscription) });
  if (subscription._held)
    tasks.push({ at: subscription._held.expires_at, act: (ledger) => discardUpdate(ledger, subscription, 'expired') });
  if (cancel_at !== null) {
    tasks.push({
      at: cancel_at,
      act: (ledger) => endSubscription(ledger, subscription, 'canceled', 'cancellation_requested'),
    });
  }
  if (status === 'trialing' && trial_end !== null) {
    if (!_trial_end_announced)
      tasks.push({ at: trialNoticeAt(trial_end), act: (ledger) => announceTrialEnd(ledger, subscription) });
    tasks.push({ at: trial_end, act: (ledger) => endTrial(ledger, subscription, true) });
  } else {
    tasks.push({ at: _period.end, act: (ledger) => renewSubscription(ledger, subscription) });
  }
  // At the same instant, the cancellation sorts before the renewal and takes precedence.
  return tasks.sort((a, b) => a.at - b.at).slice(0, 1);
}

function invoiceDue(invoice: Invoice): DueTask[] {
  const { automatically_finalizes_at, next_payment_attempt, status } = invoice;
  if (status === 'draft' && automatically_finalizes_at !== null) {
    return [
      {
        at: automatically_finalizes_at,
        act: (ledger) => advanceInvoice(ledger, invoice),
      },
    ];
  }
  if (status !== 'open' || next_payment_attempt === null) return [];
  return [{ at: next_payment_attempt, act: (ledger) => collectInvoice(ledger, invoice) }];
}

function refundDue(refund: Refund): DueTask[] {
  if (refund._settles === null) return [];
  return [{ at: refund._settles.at, act: (ledger) => settleRefund(ledger, refund) }];
}

function disputeDue(dispute: Dispute): DueTask[] {
  const { due_by } = dispute.evidence_details;
  if (!dispute.status.endsWith('needs_response') || due_by === null) return [];
  return [{ at: due_by, act: (ledger) => missEvidence(ledger, dispute) }];
}

function checkoutDue(session: CheckoutSession): DueTask[] {
  if (session.status !== 'open') return [];
  return [{ at: session.expires_at, act: (ledger) => expireCheckout(ledger, session) }];
}
