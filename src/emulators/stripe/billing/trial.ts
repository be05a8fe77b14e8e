import type { Ledger } from '../ledger.ts';
import type { Invoice, Subscription, SubscriptionItem } from '../objects.ts';
import { stored } from '../state.ts';
import { addIntervals, DAY, periodOf, recurringOf } from './calendar.ts';
import { defaultMethodOf } from './check-payable.ts';
import { draftInvoice } from './draft-invoice.ts';
import { endSubscription, nextStatus } from './lifecycle.ts';
import { writePause } from './pause-subscription.ts';
import { startPeriods } from './periods.ts';

const NOTICE_PERIOD = 3 * DAY;

export const trialNoticeAt = (trialEnd: number) => trialEnd - NOTICE_PERIOD;

/** Emits `trial_will_end` once, within three days before the trial's end. */
export function announceTrialEnd(ledger: Ledger, subscription: Subscription): void {
  const { customer, trial_end, _trial_end_announced } = subscription;
  if (trial_end === null || _trial_end_announced || ledger.now(customer) < trialNoticeAt(trial_end)) return;
  subscription._trial_end_announced = true;
  ledger.emit('customer.subscription.trial_will_end', subscription);
}

/**
 * Starts the first paid period, or cancels or pauses a subscription without a payment method.
 * @returns the draft invoice of the period
 */
export function endTrial(ledger: Ledger, subscription: Subscription, held: boolean): Invoice | undefined {
  const method = defaultMethodOf(ledger, subscription) !== null;
  const withoutMethod = subscription.trial_settings.end_behavior.missing_payment_method;
  const status = nextStatus(subscription.status, { type: 'trial_ended', method, withoutMethod });
  if (status === 'canceled') {
    endSubscription(ledger, subscription, 'canceled', null);
    return undefined;
  }
  let invoice: Invoice | undefined;
  ledger.change('customer.subscription.updated', subscription, () => {
    subscription.status = status;
    const end = Math.min(subscription.trial_end!, ledger.now(subscription.customer));
    subscription.trial_end = end;
    if (status === 'paused') {
      writePause(ledger, subscription, 'trial_end_without_payment_method');
      return;
    }
    const { start } = subscription._period;
    const shares = startFirstPeriod(ledger, subscription, end);
    if (subscription.cancel_at_period_end) subscription.cancel_at = subscription._period.end;
    invoice = draftInvoice(ledger, subscription, { reason: 'subscription_cycle', held, shares, usage: { start, end } });
  });
  if (status === 'paused') ledger.emit('customer.subscription.paused', subscription);
  if (invoice) ledger.emit('invoice.created', invoice);
  return invoice;
}

/**
 * Starts the period after a trial, which is shorter when the anchor is unchanged.
 * @returns the fraction of a whole period for each item
 */
function startFirstPeriod(ledger: Ledger, subscription: Subscription, from: number): Map<string, number> {
  if (subscription.trial_settings.end_behavior.billing_cycle_anchor !== 'unchanged')
    subscription.billing_cycle_anchor = from;
  const whole = subscription.billing_cycle_anchor === from;
  startPeriods(ledger, subscription, from);
  const shareOf = (item: SubscriptionItem) => {
    const { interval, interval_count } = recurringOf(stored(ledger.data, 'price', item.price));
    const { end } = periodOf(subscription, item);
    return whole ? 1 : (end - from) / (end - addIntervals(end, interval, -interval_count));
  };
  return new Map(subscription._items.map((item) => [item.id, shareOf(item)]));
}
