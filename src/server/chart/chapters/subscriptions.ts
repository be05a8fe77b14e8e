import { type Chapter, fieldNames, type Happening } from './chapter.ts';

const changed = ({ details }: Happening) => {
  const names = Array.isArray(details.changed) ? (details.changed as string[]) : [];
  if (names.includes('currentPeriodStart')) return 'Subscription renewed';
  if (names.includes('cancelAtPeriodEnd') || names.includes('cancelAt')) return 'End of the subscription changed';
  return { title: 'Subscription changed', note: fieldNames(names) };
};

/** What is paid for, and what became of the payments. */
export const subscriptions: Chapter = {
  kind: 'subscriptions',
  tells: {
    'subscriptions.create': 'Subscription started',
    'subscriptions.cancel': ({ details }: Happening) =>
      details.at === 'period_end' ? 'Subscription set to end with its period' : 'Subscription canceled',
    'subscriptions.create_checkout_link': 'Payment link made',
    'subscription.created': 'Subscription started',
    'subscription.activated': 'Subscription active',
    'subscription.updated': changed,
    'subscription.trial_will_end': 'Trial about to end',
    'subscription.payment_succeeded': 'Payment received',
    'subscription.payment_failed': 'Payment failed',
    'subscription.payment_action_required': 'Payment waits for the patient to confirm it',
    'subscription.refunded': 'Payment paid back',
    'subscription.disputed': 'Payment disputed',
    'subscription.canceled': 'Subscription ended',
    'subscription.expired': 'Subscription ended, for it was never paid',
    // Entries of before these named their event.
    'subscriptions.activate': 'Subscription active',
    'subscriptions.sync': changed,
  },
};
